"""A card of the Memory page: text, origin, actions, history and form of a memory, and what goes with a deleted one."""

from dataclasses import replace
from datetime import UTC, date, datetime, time
from typing import Literal

import streamlit as st

from core.memory.files import MAX_TEXT
from core.memory.keeping import keep, new_memory
from core.memory.model import Memory, MemoryKind, MemoryStatus
from core.memory.ports import MemoryStore
from core.platform.errors import InputError
from core.platform.language.terms import content_terms
from core.rulebook.messages import PersonalMessage
from pages.components.documents.bases import current_base
from pages.components.memory.state import accept, delete, edit, edited_id, reject, save_edit, toggle_pin
from pages.components.run.run_words import sentence
from pages.components.shell.boundary import succeeds
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import Html, label, markdown_of, render
from pages.components.shell.times import ago
from pages.components.shell.widgets import decided, dialog, icon_button

MOST_USES = 20
MOST_FORGOTTEN = 20
MOST_ANSWERS = 5
"""Number of answers listed for a memory."""
MAX_CONSEQUENCE = 600
_EVERYWHERE, _BASE, _THREAD = "everywhere", "base", "thread"


def memory_card(store: MemoryStore, memory: Memory, base_name: str = "") -> None:
    """Draw a memory. base_name: of the only knowledge base to which it applies."""
    with st.container(key=f"row-{memory.id}", gap=None):
        if edited_id() == memory.id:
            edit_form(store, memory)
            return
        with st.container(horizontal=True, vertical_alignment="center", gap="xsmall"):
            st.html(card_html(memory, base_name), width="stretch")
            _origin(memory)
            _story(store, memory)
            _actions(store, memory)


def card_html(memory: Memory, base_name: str = "") -> Html:
    only = [t("memory.only_in", base=label(base_name, 60))] if base_name else []
    facts = [*_states(memory), *only, t("memory.importance_of", value=memory.importance), *_history(memory)]
    return render("memory/memory.html", "card", memory=memory, words=facts)


def _states(memory: Memory) -> list[str]:
    status = [] if memory.status is MemoryStatus.ACTIVE else [t(f"memory.status.{memory.status}")]
    until = [t("memory.until", day=f"{memory.expires_at:%Y-%m-%d}")] if memory.expires_at else []
    thread = [t("memory.scope.thread")] if memory.in_thread_only else []
    return [*status, *([t("memory.pinned")] if memory.pinned else []), *thread, *until, *_reason(memory)]


def _reason(memory: Memory) -> list[str]:
    """Reason for a proposal or rejection."""
    return [sentence(memory.reason)] if memory.reason and memory.status is not MemoryStatus.ACTIVE else []


def _history(memory: Memory) -> list[str]:
    sure = [] if memory.confidence >= 0.995 else [t("memory.confidence", value=round(memory.confidence * 100))]
    when = ago(memory.last_used_at)
    used = t("memory.used", count=memory.uses, when=when) if memory.uses else t("memory.unused")
    return [*sure, t("memory.made", when=ago(memory.created_at)), used]


def _origin(memory: Memory) -> None:
    if memory.thread_id:
        query = {"thread": memory.thread_id, "run": memory.run_id}
        st.page_link("pages/chat.py", label=t("memory.from_turn"), icon=":material/forum:", query_params=query)
    else:
        st.caption(t("memory.by_hand"), width="content")


def _actions(store: MemoryStore, memory: Memory) -> None:
    """Draw what can be done with it; on a narrow screen it stays together on one line."""
    proposed = memory.status is MemoryStatus.PROPOSED
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", width="content", wrap=False):
        if proposed or memory.status is MemoryStatus.REJECTED:
            kind: Literal["primary", "tertiary"] = "primary" if proposed else "tertiary"
            st.button(t("memory.accept"), key=f"accept-{memory.id}", type=kind, on_click=accept, args=(store, memory))
        else:
            icon, words = ("keep_off", t("memory.unpin")) if memory.pinned else ("keep", t("memory.pin"))
            icon_button(icon, words, f"pin-{memory.id}", toggle_pin, store, memory)
        icon_button("edit", t("memory.edit"), f"edit-{memory.id}", edit, memory.id)
        if proposed:
            icon_button("close", t("memory.dismiss"), f"delete-{memory.id}", reject, store, memory)
        elif st.button(
            "", key=f"delete-{memory.id}", icon=":material/delete:", help=t("memory.delete"), type="tertiary"
        ):
            forget(store, memory)


def _story(store: MemoryStore, memory: Memory) -> None:
    """Draw the button, except for proposals; the history is read when it is opened."""
    if memory.status is MemoryStatus.PROPOSED:
        return
    words = t("memory.story")
    if st.button(words, key=f"story-{memory.id}", icon=":material/history:", type="tertiary"):
        st.dialog(words, position="right")(_told_story)(store, memory)


def _told_story(store: MemoryStore, memory: Memory) -> None:
    """Draw the answers that used it, and its changes."""
    st.markdown(markdown_of(memory.text, 600))
    uses = store.uses(memory.id)
    st.caption(t("memory.used_by", count=len(uses)) if uses else t("memory.used_by_none"))
    for use in uses[:MOST_USES]:
        query = {"thread": use.thread_id, "run": use.run_id}
        words = f"{label(use.question, 80)} · {ago(use.used_at)}"
        st.page_link("pages/chat.py", label=markdown_of(words), icon=":material/forum:", query_params=query)
    for change in store.changes(memory.id)[-MOST_USES:]:
        with st.expander(f"{ago(change.changed_at)} · {t(f'memory.change.{change.change}')}", True, type="step"):
            st.markdown(markdown_of(change.text, 200))


def forget_button(store: MemoryStore, found: list[Memory], query: str) -> None:
    """Draw the button and its dialog, in which the memories that the chat would name are preselected."""
    words = PersonalMessage(query).terms
    said = frozenset(
        memory.id for memory in found[:MOST_FORGOTTEN] if words and words <= set(content_terms(memory.text))
    )
    named = t("memory.forget", count=len(said)) if said else t("memory.forget_some")
    if st.button(named, icon=":material/delete_sweep:", type="tertiary", key="forget"):
        _ask(store, found, said)


def forget(store: MemoryStore, memory: Memory) -> None:
    """Delete it, or ask first where something rests on it."""
    if consequences(store, memory):
        _ask(store, [memory], frozenset({memory.id}))
        return
    delete(store, memory)
    st.rerun()


def _ask(store: MemoryStore, found: list[Memory], said: frozenset[str]) -> None:
    @dialog(t("memory.forget_title", count=len(found)))
    def asked() -> None:
        chosen = [memory for memory in found[:MOST_FORGOTTEN] if _choice(store, memory, memory.id in said)]
        if len(found) > MOST_FORGOTTEN:
            st.caption(t("memory.forget_first", count=MOST_FORGOTTEN))
        st.caption(t("memory.forget_help"))
        words, gone = (t("memory.forget_do", count=len(chosen)), t("memory.cancel")), (store, *chosen)
        if decided(*words, "forget", disabled=not chosen, on_click=delete, args=gone):
            st.rerun()

    asked()


def _choice(store: MemoryStore, memory: Memory, said: bool) -> bool:
    """Draw a memory with its consequences; returns whether it is chosen. said: preselected."""
    chosen = st.checkbox(markdown_of(memory.text, 300), value=said, key=f"forget-{memory.id}")
    for words in consequences(store, memory):
        st.caption(markdown_of(words, MAX_CONSEQUENCE))
    return chosen


def consequences(store: MemoryStore, memory: Memory) -> list[str]:
    """What goes with the memory, and the answers that used it."""
    said = [t("memory.forget_older", text=label(older.text, 120)) for older in store.superseded_by(memory.id)]
    if uses := store.uses(memory.id):
        asked = " · ".join(label(use.question, 60) for use in uses[:MOST_ANSWERS])
        said.append(t("memory.forget_answers", count=len(uses), questions=asked))
    return said


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
