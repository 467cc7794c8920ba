"""The fields of a memory: to change one in place, and to add one by hand."""

from collections.abc import Callable

import streamlit as st

from core.domain.memories import Memory, MemoryKind
from core.errors import InputError
from core.ports.memory import MemoryStore
from pages.components.memory.state import MAX_TEXT, edit, new_memory, save_edit
from pages.components.shell.boundary import sentence_of
from pages.components.shell.language import t
from pages.components.shell.text import markdown_of

Fields = tuple[str, MemoryKind, int]


def edit_form(store: MemoryStore, memory: Memory) -> None:
    with st.form(f"form-{memory.id}", border=False):
        fields = _fields(memory.id, memory.text, memory.kind, memory.importance)
        with st.container(horizontal=True):
            saved = st.form_submit_button(t("memory.save"), type="primary")
            cancelled = st.form_submit_button(t("memory.cancel"))
    if saved and _kept(lambda: save_edit(store, memory, *fields)):
        st.rerun()
    if cancelled:
        edit("")
        st.rerun()


def add_form(store: MemoryStore) -> None:
    with st.form("form-new-memory", border=False, clear_on_submit=False):
        fields = _fields("new", "", MemoryKind.FACT, 6)
        saved = st.form_submit_button(t("memory.save"), type="primary")
    if saved and _kept(lambda: store.save(new_memory(*fields))):
        st.rerun()


def _fields(name: str, text: str, kind: MemoryKind, importance: int) -> Fields:
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


def _kept(save: Callable[[], None]) -> bool:
    """Whether it was saved; what is wrong with the words is said below them, and they stay."""
    try:
        save()
    except InputError as error:
        st.error(markdown_of(sentence_of(error)))
        return False
    return True
