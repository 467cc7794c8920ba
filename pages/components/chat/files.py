"""Files dropped into the chat: choice of the knowledge base, upload, and the question that they were sent with."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from core.documents.lifecycle.sample import NAME as SAMPLE
from core.documents.model import KnowledgeBase
from core.runs.model import AttachedFile, Run
from pages.components.chat.state import open_thread
from pages.components.documents.bases import own_base
from pages.components.documents.notices import dismiss_notices, show_notices
from pages.components.documents.upload import Upload, asked_where, take_files
from pages.components.documents.waiting import waiting_uploads
from pages.components.shell.identity import may_edit
from pages.components.shell.language import t

BROUGHT = "ask"
"""Session key of a question for the reader to send."""
_HELD = "chat-files"
_QUESTION = "chat-files-question"
_TAKEN = "chat-files-taken"
Ask = Callable[[str, str, Sequence[AttachedFile]], None]
"""Asks a question of a knowledge base as soon as the files are read."""
Take = Callable[[str], None]
"""Adds the held files to a knowledge base."""


def hold_files(files: Sequence[Upload], question: str) -> None:
    """Hold files until their knowledge base is known, beside those that wait; the questions are asked then, as one."""
    st.session_state[_HELD] = [*st.session_state.get(_HELD, []), *files]
    asked = (st.session_state.get(_QUESTION, ""), question)
    st.session_state[_QUESTION] = "\n\n".join(filter(None, asked))


def waiting_files(base: KnowledgeBase | None, running: Run | None, ask: Ask) -> None:
    """Add dropped files to the open knowledge base, or to a new one; asks first if that is the sample."""
    held: list[Upload] = st.session_state.get(_HELD, [])
    editable = base is not None and may_edit(base.id)
    take = partial(_take, held=held, ask=ask)
    if held and base and (base.name == SAMPLE or not editable):
        _ask_where(base, len(held), editable, take)
    elif held:
        take(base.id if base else _own_base())
    if base and editable and _shows_uploads(base, running):
        show_notices()
        waiting_uploads(base.id)


def _shows_uploads(base: KnowledgeBase, running: Run | None) -> bool:
    """Whether the question under way came with files, or the last files went into this base."""
    awaited = running is not None and bool(running.options.attached)
    return awaited or st.session_state.get(_TAKEN) == base.id


def _ask_where(base: KnowledgeBase, count: int, editable: bool, take: Take) -> None:
    """Ask for the knowledge base; the sample is offered, a read-only one is not."""
    where = asked_where(count, "files", editable)
    if where == "own":
        take(_own_base())
    elif where == "sample":
        take(base.id)
    elif where:
        st.session_state.pop(_HELD)
        _give_back(st.session_state.pop(_QUESTION, ""))
        st.rerun()


def _take(base_id: str, held: Sequence[Upload], ask: Ask) -> None:
    """Add files by the rules of the Documents page; a conversation about another base is replaced by a new one.

    They are held until all are taken: a click meanwhile draws the page anew, which takes them again.
    """
    st.session_state[_TAKEN] = base_id
    dismiss_notices()
    accepted = take_files(base_id, held)
    st.session_state.pop(_HELD)
    question = st.session_state.pop(_QUESTION, "")
    if question and accepted:
        ask(question, base_id, accepted)
    elif question:
        _give_back(question)
    elif accepted:
        st.toast(t("chat.files.taken", count=len(accepted)), icon=":material/hourglass_top:")
    st.rerun()


def _give_back(question: str) -> None:
    if question:
        st.session_state[BROUGHT] = question


def _own_base() -> str:
    open_thread("")
    return own_base().id
