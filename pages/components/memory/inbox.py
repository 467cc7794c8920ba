"""Proposals to accept or decline at once, and pairs of similar memories."""

import streamlit as st

from core.memory.contradictions import contradicts
from core.memory.keeping import contrary_to, quoted
from core.memory.model import Memory, MemoryStatus
from core.memory.ports import MemoryStore
from core.platform.errors import ServiceError
from pages.components.memory.state import accept, reject, supersede
from pages.components.run.run_words import sentence
from pages.components.shell.language import language, t
from pages.components.shell.services import services
from pages.components.shell.text import markdown_of, render
from pages.components.shell.widgets import choice

ALIKE = 0.2
"""Cosine distance up to which two memories are suggested to be merged."""
MOST_PAIRS = 5
MOST_PROPOSED = 50
REASONS = ("untrue", "trivial", "private", "outdated")
_APART = "memory-kept-apart"
_MOST_APART = 500


def inbox(store: MemoryStore, memories: list[Memory]) -> None:
    """Draw the proposals; nothing if there are none."""
    waiting = [memory for memory in memories if memory.status is MemoryStatus.PROPOSED]
    if not waiting:
        return
    proposed = waiting[:MOST_PROPOSED]
    in_force = [memory for memory in memories if memory.status is MemoryStatus.ACTIVE]
    with st.container(border=True, key="memory-inbox"):
        st.markdown(f":material/inbox: {t('memory.inbox', count=len(waiting))}")
        chosen = [memory for memory in proposed if _checkbox(memory, in_force)]
        with st.container(horizontal=True, vertical_alignment="bottom"):
            none = not chosen
            st.button(
                t("memory.accept_chosen", count=len(chosen)),
                key="accept-chosen",
                type="primary",
                disabled=none,
                on_click=accept,
                args=(store, *chosen),
            )
            words, reasons = t("memory.reject_why"), ("", *REASONS)
            reason = choice(words, reasons, "reject-reason", lambda it: t(f"memory.rejected.{it or 'none'}"), width=210)
            st.button(
                t("memory.reject_chosen", count=len(chosen)),
                key="reject-chosen",
                disabled=none,
                on_click=reject,
                args=(store, *chosen),
                kwargs={"reason": f"memory.rejected.{reason}" if reason else ""},
            )


def _checkbox(memory: Memory, in_force: list[Memory]) -> bool:
    """Chosen at first, unless what it would replace was said later."""
    contrary = contrary_to(memory, in_force, services().models.meanings)
    others = quoted([one.text for one in contrary], language())
    replaces = t("memory.would_replace", text=others) if others else ""
    said = [markdown_of(words) for words in (sentence(memory.reason) if memory.reason else "", replaces) if words]
    why = "".join(f" — *{words}*" for words in said)
    is_last = all(one.created_at <= memory.created_at for one in contrary)
    return st.checkbox(f"{markdown_of(memory.text, 300)}{why}", value=is_last, key=f"choose-{memory.id}")


def suggestions(store: MemoryStore) -> None:
    """Draw pairs of similar or contradicting memories, of which the reader chooses one."""
    try:
        pairs = [pair for pair in store.alike(ALIKE, 4 * MOST_PAIRS) if _key(pair[0], pair[1]) not in _apart()]
    except ServiceError:
        return  # the search above says why meanings cannot be compared
    if not pairs:
        return
    with st.expander(t("memory.alike", count=len(pairs[:MOST_PAIRS])), icon=":material/join:"):
        for older, newer, _ in pairs[:MOST_PAIRS]:
            _pair(store, older, newer)


def _pair(store: MemoryStore, older: Memory, newer: Memory) -> None:
    words = t("memory.contrary" if contradicts(newer, older, services().models.meanings) else "memory.same")
    st.html(render("memory/memory.html", "pair", words=words, older=older.text, newer=newer.text))
    key = f"{older.id}-{newer.id}"
    with st.container(horizontal=True, gap="xsmall"):
        st.button(t("memory.keep_first"), key=f"first-{key}", on_click=supersede, args=(store, newer, older))
        st.button(t("memory.keep_second"), key=f"second-{key}", on_click=supersede, args=(store, older, newer))
        st.button(t("memory.keep_both"), key=f"both-{key}", type="tertiary", on_click=_keep_apart, args=(older, newer))


def _apart() -> list[object]:
    kept = services().storage.access.preferences.all().get(_APART)
    return kept if isinstance(kept, list) else []


def _keep_apart(older: Memory, newer: Memory) -> None:
    services().storage.access.preferences.keep(_APART, [*_apart(), _key(older, newer)][-_MOST_APART:])


def _key(older: Memory, newer: Memory) -> str:
    return " ".join(sorted((older.id, newer.id)))
