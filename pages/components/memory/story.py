"""History of a memory: the answers that used it, and its earlier texts."""

import streamlit as st

from core.memory.model import Memory, MemoryStatus
from core.memory.ports import MemoryStore
from pages.components.shell.language import t
from pages.components.shell.text import label, markdown_of
from pages.components.shell.times import ago

MOST = 20
_OPENED = "memory-story"


def story(store: MemoryStore, memory: Memory) -> None:
    """Draw the button, except for proposals; the history is read when it is opened."""
    if memory.status is MemoryStatus.PROPOSED:
        return
    st.button(
        t("memory.story"),
        key=f"story-{memory.id}",
        icon=":material/history:",
        type="tertiary",
        on_click=_open,
        args=(memory.id,),
    )
    if _is_open(memory):
        st.session_state.pop(_OPENED)
        _dialog(store, memory)


def _is_open(memory: Memory) -> bool:
    return st.session_state.get(_OPENED) == memory.id


def _open(memory_id: str) -> None:
    st.session_state[_OPENED] = memory_id


def _dialog(store: MemoryStore, memory: Memory) -> None:
    @st.dialog(t("memory.story"))
    def dialog() -> None:
        st.markdown(markdown_of(memory.text, 600))
        uses = store.uses(memory.id)
        st.caption(t("memory.used_by", count=len(uses)) if uses else t("memory.used_by_none"))
        for use in uses[:MOST]:
            query = {"thread": use.thread_id, "run": use.run_id}
            words = f"{label(use.question, 80)} · {ago(use.used_at)}"
            st.page_link("pages/chat.py", label=markdown_of(words), icon=":material/forum:", query_params=query)
        for change in store.changes(memory.id)[-MOST:]:
            st.caption(
                f"{ago(change.changed_at)}: {t(f'memory.change.{change.change}')} · {markdown_of(change.text, 200)}"
            )

    dialog()
