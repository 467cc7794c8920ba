"""Forgetting a memory, or those that a search found: the consequences are shown first, and it can be undone."""

import streamlit as st

from core.memory.model import Memory
from core.memory.ports import MemoryStore
from core.platform.language.terms import content_terms
from core.rulebook.messages import PersonalMessage
from pages.components.memory.state import delete
from pages.components.shell.dialogs import decided, dialog
from pages.components.shell.language import t
from pages.components.shell.text import label, markdown_of

MOST = 20
ANSWERS = 5
"""Number of answers listed for a memory."""
MAX_CONSEQUENCE = 600


def forget_button(store: MemoryStore, found: list[Memory], query: str) -> None:
    """Draw the button and its dialog, in which the memories that the chat would name are preselected."""
    words = PersonalMessage(query).terms
    said = frozenset(memory.id for memory in found[:MOST] if words and words <= set(content_terms(memory.text)))
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
        chosen = [memory for memory in found[:MOST] if _row(store, memory, memory.id in said)]
        if len(found) > MOST:
            st.caption(t("memory.forget_first", count=MOST))
        st.caption(t("memory.forget_help"))
        words, gone = (t("memory.forget_do", count=len(chosen)), t("memory.cancel")), (store, *chosen)
        if decided(*words, "forget", disabled=not chosen, on_click=delete, args=gone):
            st.rerun()

    asked()


def _row(store: MemoryStore, memory: Memory, said: bool) -> bool:
    """Draw a memory with its consequences; returns whether it is chosen. said: preselected."""
    chosen = st.checkbox(markdown_of(memory.text, 300), value=said, key=f"forget-{memory.id}")
    for words in consequences(store, memory):
        st.caption(markdown_of(words, MAX_CONSEQUENCE))
    return chosen


def consequences(store: MemoryStore, memory: Memory) -> list[str]:
    """What goes with the memory, and the answers that used it."""
    said = [t("memory.forget_older", text=label(older.text, 120)) for older in store.superseded_by(memory.id)]
    if uses := store.uses(memory.id):
        asked = " · ".join(label(use.question, 60) for use in uses[:ANSWERS])
        said.append(t("memory.forget_answers", count=len(uses), questions=asked))
    return said
