"""A card of the Memory page: the memory's text, origin, actions and history."""

from collections.abc import Callable
from typing import Literal

import streamlit as st

from core.memory.model import Memory, MemoryStatus
from core.memory.ports import MemoryStore
from pages.components.memory.forget import forget
from pages.components.memory.form import edit_form
from pages.components.memory.state import accept, edit, edited_id, reject, toggle_pin
from pages.components.run.run_words import sentence
from pages.components.shell.language import t
from pages.components.shell.text import Html, label, markdown_of, render
from pages.components.shell.times import ago

MOST_USES = 20


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
            pin = ("keep_off", "memory.unpin") if memory.pinned else ("keep", "memory.pin")
            _icon_button(f"pin-{memory.id}", *pin, toggle_pin, store, memory)
        _icon_button(f"edit-{memory.id}", "edit", "memory.edit", edit, memory.id)
        if proposed:
            _icon_button(f"delete-{memory.id}", "close", "memory.dismiss", reject, store, memory)
        elif st.button(
            "", key=f"delete-{memory.id}", icon=":material/delete:", help=t("memory.delete"), type="tertiary"
        ):
            forget(store, memory)


def _icon_button(key: str, icon: str, words: str, action: Callable[..., None], *args: object) -> None:
    st.button("", key=key, icon=f":material/{icon}:", help=t(words), type="tertiary", on_click=action, args=args)


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
