"""Layout of the chat page: conversation, turns beside the run, question field."""

import streamlit as st

from core.platform.errors import NotFoundError
from core.runs.model import Run, RunStatus
from pages.components.chat.actions import act
from pages.components.chat.composer import composer
from pages.components.chat.conversation import Conversation, conversation, run_panel
from pages.components.chat.scope import ChatScope, scope_of
from pages.components.chat.state import (
    choose_scope,
    deleted_threads,
    next_click,
    open_thread,
    shown_run_id,
    thread_id,
)
from pages.components.chat.welcome import welcome
from pages.components.documents.bases import current_base, use_base
from pages.components.run.run_views import view_of
from pages.components.shell.language import t
from pages.components.shell.services import services

_LOOKED_AT = "chat-looked-at"


def draw_chat() -> None:
    opened = opened_conversation()
    runs = opened.path
    base = current_base()
    running = next((run for run in reversed(runs) if view_of(run).status is RunStatus.RUNNING), None)
    composer(base, running)
    slot = st.empty()  # without a conversation's welcome in it, it takes the last one off the page at once
    if runs:
        _draw_runs(opened)
    else:
        with slot.container():
            welcome(base)
    _handle_clicks(opened)
    if running and view_of(running).status is not RunStatus.RUNNING:
        st.rerun()  # it ended while the page was being drawn, and nothing on the page follows it


def _handle_clicks(opened: Conversation) -> None:
    """Handle clicks once the page is drawn: making the content of a dialog can take a while."""
    while click := next_click():
        run_id, action = click
        if run := opened.branches.run(run_id):
            act(run, action)


def opened_conversation() -> Conversation:
    """Conversation in the address; a new one if the id is unknown."""
    if not thread_id():
        return Conversation()
    try:
        thread = services().threads.get(thread_id())
    except NotFoundError:
        if thread_id() not in deleted_threads():
            st.info(t("chat.threads.missing"))
        open_thread("")
        return Conversation()
    opened = Conversation(services().runs.of_thread(thread.id), thread.leaf_id)
    opened = _with_run(opened, thread.id, shown_run_id())
    if st.session_state.get(_LOOKED_AT) != thread.id:
        st.session_state[_LOOKED_AT] = thread.id
        _follow(thread.base_id, opened.path[-1] if opened.path else None)
    return opened


def _with_run(opened: Conversation, thread: str, run_id: str) -> Conversation:
    """Conversation on the branch of the run in the address."""
    named = next((run for run in opened.runs if run.id == run_id), None)
    if named is None or named in opened.path:
        return opened
    leaf = opened.branches.leaf_below(named).id
    services().threads.show(thread, leaf)
    return Conversation(opened.runs, leaf)


def _follow(base_id: str, last: Run | None) -> None:
    """Select the knowledge base of the last question, or of a conversation without one, and the question's scope."""
    base_id = last.base_id if last else base_id
    if base_id in {base.id for base in services().library.bases.all()}:
        use_base(base_id)
        choose_scope(scope_of(last) if last else ChatScope(base_id))


def _draw_runs(opened: Conversation) -> None:
    shown = next((run for run in opened.path if run.id == shown_run_id()), opened.path[-1])
    with st.container(key="chat-columns"):
        left, right = st.columns([62, 38], gap="large")
    with left:
        conversation(opened, shown)
    with right, st.container(key="run-panel"):
        run_panel(shown)
