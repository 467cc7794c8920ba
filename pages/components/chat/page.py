"""The chat page's order: which conversation, its turns beside the run, and the field for the next question."""

from collections.abc import Sequence

import streamlit as st

from core.domain.runs import Run, RunStatus
from core.errors import AppError, NotFoundError
from pages.components.chat.actions import act, ask
from pages.components.chat.composer import composer
from pages.components.chat.conversation import conversation, run_panel
from pages.components.chat.state import open_thread, shown_run_id, thread_id
from pages.components.chat.welcome import welcome
from pages.components.documents.bases import current_base, use_base
from pages.components.run.run_views import view_of
from pages.components.shell.boundary import show_error
from pages.components.shell.language import t
from pages.components.shell.services import services

_LOOKED_AT = "chat-looked-at"


def draw_chat() -> None:
    runs = opened_runs()
    base = current_base()
    running = next((run for run in reversed(runs) if view_of(run).status is RunStatus.RUNNING), None)
    question = composer(base, running)
    if question and base:
        _start(question, base.id)
    slot = st.empty()  # without a conversation's welcome in it, it takes the last one off the page at once
    if runs:
        _draw_runs(runs)
    else:
        with slot.container():
            welcome(base)
    if running and view_of(running).status is not RunStatus.RUNNING:
        st.rerun()  # it ended while the page was being drawn, and nothing on the page follows it


def _start(question: str, base_id: str) -> None:
    """Before the turns are drawn, which they would be twice; what hinders it is said where the question was typed."""
    try:
        ask(question, base_id)
    except AppError as error:
        with st.bottom:
            show_error(error)


def opened_runs() -> Sequence[Run]:
    """The runs of the conversation in the address; a new one where there is none of that id."""
    if not thread_id():
        return []
    try:
        thread = services().threads.get(thread_id())
    except NotFoundError:
        open_thread("")
        st.info(t("chat.threads.missing"))
        return []
    if st.session_state.get(_LOOKED_AT) != thread.id:
        st.session_state[_LOOKED_AT] = thread.id
        _follow_base(thread.base_id)
    return services().runs.of_thread(thread.id)


def _follow_base(base_id: str) -> None:
    """A conversation goes on with the documents that it began with."""
    if base_id in {base.id for base in services().library.bases.all()}:
        use_base(base_id)


def _draw_runs(runs: Sequence[Run]) -> None:
    shown = next((run for run in runs if run.id == shown_run_id()), runs[-1])
    with st.container(key="chat-columns"):
        left, right = st.columns([62, 38], gap="large")
    with left:
        clicked = conversation(runs, shown)
    with right, st.container(key="run-panel"):
        clicked_in_run = run_panel(shown)
    if clicked:
        act(*clicked)
    elif clicked_in_run:
        act(shown, clicked_in_run)
