"""The form for editing a memory in place and for adding one."""

from dataclasses import replace
from datetime import UTC, date, datetime, time

import streamlit as st

from core.memory.files import MAX_TEXT
from core.memory.keeping import keep, new_memory
from core.memory.model import Memory, MemoryKind
from core.memory.ports import MemoryStore
from core.platform.errors import InputError
from pages.components.documents.bases import current_base
from pages.components.memory.state import edit, save_edit
from pages.components.shell.boundary import succeeds
from pages.components.shell.language import t
from pages.components.shell.services import services

_EVERYWHERE, _BASE, _THREAD = "everywhere", "base", "thread"


def edit_form(store: MemoryStore, memory: Memory) -> None:
    with st.form(f"form-{memory.id}", border=False):
        text, kind, importance = _fields(memory.id, memory.text, memory.kind, memory.importance)
        left, right = st.columns(2)
        with left:
            base_id, in_thread_only = _scope(memory)
        with right:
            expires_at = _expiry(memory)
        with st.container(horizontal=True):
            saved = st.form_submit_button(t("memory.save"), type="primary")
            cancelled = st.form_submit_button(t("memory.cancel"))
    edited = replace(memory, text=text, kind=kind, importance=importance, expires_at=expires_at, base_id=base_id)
    if saved and succeeds(lambda: save_edit(store, replace(edited, in_thread_only=in_thread_only))):
        st.rerun()
    if cancelled:
        edit("")
        st.rerun()


def add_form(store: MemoryStore) -> None:
    with st.form("form-new-memory", border=False, clear_on_submit=False):
        fields = _fields("new", "", MemoryKind.FACT, 6)
        saved = st.form_submit_button(t("memory.save"), type="primary")
    if saved and succeeds(lambda: _add(store, new_memory(*fields))):
        st.rerun()


def _add(store: MemoryStore, memory: Memory) -> None:
    """Add a memory; raises InputError if another one says the same."""
    standing, met = keep(store, memory, services().models.meanings)
    if met.twin:
        raise InputError("memory.error.known", text=standing.text)


def _scope(memory: Memory) -> tuple[str, bool]:
    """Draw the choice of a scope: base, and whether it applies only to the chat that it comes from."""
    base = current_base()
    base_id = memory.base_id or (base.id if base else "")
    offered = [_EVERYWHERE, *([_BASE] if base_id else []), *([_THREAD] if memory.thread_id else [])]
    current = _THREAD if memory.in_thread_only else _BASE if memory.base_id else _EVERYWHERE
    chosen = st.selectbox(
        t("memory.scope.label"),
        offered,
        index=offered.index(current) if current in offered else 0,
        key=f"scope-{memory.id}",
        format_func=lambda value: t(f"memory.scope.{value}"),
    )
    return (base_id if chosen == _BASE else "", chosen == _THREAD)


def _expiry(memory: Memory) -> datetime | None:
    """End of the chosen day, in UTC."""
    day = st.date_input(
        t("memory.expires"),
        memory.expires_at.date() if memory.expires_at else None,
        key=f"expires-{memory.id}",
        help=t("memory.expires_help"),
    )
    return datetime.combine(day, time.max, UTC) if isinstance(day, date) else None


def _fields(name: str, text: str, kind: MemoryKind, importance: int) -> tuple[str, MemoryKind, int]:
    words = st.text_area(
        t("memory.text"), text, key=f"text-{name}", max_chars=MAX_TEXT, height=96, placeholder=t("memory.text_hint")
    )
    left, right = st.columns(2)
    chosen = left.selectbox(
        t("memory.kind.label"),
        list(MemoryKind),
        index=list(MemoryKind).index(kind),
        key=f"kind-{name}",
        format_func=lambda value: t(f"memory.kind.{value}"),
    )
    weight = right.slider(
        t("memory.importance"), 1, 10, importance, key=f"importance-{name}", help=t("memory.importance_help")
    )
    return words or "", chosen or kind, weight
