"""Layout of the chat page: the turns, drawn by the same functions live and later, beside a run; question field."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial

import streamlit as st

from core.platform.errors import NotFoundError
from core.runs.branches import Branches
from core.runs.history.view import RunView
from core.runs.model import Run, RunStatus
from pages.components.chat.actions import act
from pages.components.chat.composer import composer
from pages.components.chat.scope import ChatScope, scope_of
from pages.components.chat.state import (
    choose_scope,
    deleted_threads,
    next_click,
    note_click,
    open_thread,
    shown_run_id,
    thread_id,
)
from pages.components.chat.welcome import welcome
from pages.components.chat.workflow_choices import pictures_ready
from pages.components.documents.bases import current_base, use_base
from pages.components.run.citation_html import CitedPlaces
from pages.components.run.live_html import live_html
from pages.components.run.live_route import live_address
from pages.components.run.offered_html import forget_part, forgotten_answer, offered_part, settled_answer
from pages.components.run.run_html import run_parts
from pages.components.run.run_views import ended_view, evidence_of, step_names, view_of
from pages.components.run.turn_actions import (
    Beside,
    Offer,
    actions_part,
    compare_part,
    edit_part,
    facts_part,
    feedback_part,
    follow_up_part,
    memories_part,
    refused_part,
)
from pages.components.run.turn_html import turn_parts
from pages.components.shell.language import language, t, use_language
from pages.components.shell.services import services
from pages.components.shell.text import Html

_LOOKED_AT = "chat-looked-at"
VISIBLE = 20
"""Number of turns drawn at once; earlier ones on request."""
_SHOWN = "chat-turns-shown"


class Conversation:
    """The runs of a thread, oldest first, and the branch of them that is shown."""

    def __init__(self, runs: Sequence[Run] = (), leaf_id: str = "") -> None:
        self.runs = runs
        self.branches = Branches(runs)
        self.path = self.branches.path(leaf_id)

    def beside(self, run: Run) -> Beside:
        return Beside(tuple(self.branches.wordings(run)), tuple(self.branches.versions(run)))


def conversation(opened: Conversation, shown: Run) -> None:
    """Draw the turns of the branch, newest last."""
    thread = opened.path[-1].thread_id
    judged = services().storage.records.feedback.of_thread(thread)
    for run in _visible(opened.path):
        offer = Offer(run is shown, last=run is opened.path[-1], feedback=judged.get(run.id))
        _turn(run, offer, opened.beside(run))


def run_panel(run: Run) -> None:
    """Draw the run; it is followed until its picture can be drawn, even if it has ended."""
    view = view_of(run)
    stream = _stream(run, view) if pictures_ready() else live_address(run.id)
    parts = run_parts(view, step_names(view, run.base_id))
    live_html(f"run-{run.id}", "run", parts, stream, partial(note_click, run.id))


def _visible(runs: Sequence[Run]) -> Sequence[Run]:
    thread = runs[-1].thread_id
    count = st.session_state.get(_SHOWN, {}).get(thread, VISIBLE)
    hidden = len(runs) - count
    if hidden <= 0:
        return runs
    st.button(
        t("chat.turn.earlier", count=hidden),
        type="tertiary",
        icon=":material/expand_less:",
        key="earlier",
        on_click=lambda: st.session_state.update({_SHOWN: {thread: count + 3 * VISIBLE}}),
    )
    return runs[hidden:]


def _turn(run: Run, offer: Offer, beside: Beside) -> None:
    view = view_of(run)
    stream = _stream(run, view)
    if stream:
        parts = turn_parts(view, evidence_of(view))
    else:
        if offer.last:
            offer = replace(offer, questions=view.follow_ups)
        forget, evidence = forget_part(view), evidence_of(view, run.base_id)
        view = replace(view, answer=forgotten_answer(view) if view.to_forget else settled_answer(view))
        parts = ended_parts(run.id, view.status, view.answer, evidence, language())
        parts = [*parts, ("offered", offered_part(view)), ("forget", forget)]
        parts += [("actions", actions_part(run, view, offer))]
        parts += [("feedback", feedback_part(offer.feedback))]
        parts += [("refused", refused_part(view)), ("memories", memories_part(run, view))]
        parts += [("follow", follow_up_part(offer.questions)), ("compare", compare_part(beside))]
    question, *rest = parts
    head = [question, ("edit", edit_part(run, beside)), ("facts", facts_part(run, view, beside))]
    live_html(f"turn-{run.id}", "turn", [*head, *rest], stream, partial(note_click, run.id))


def _stream(run: Run, view: RunView) -> str:
    return live_address(run.id) if view.status is RunStatus.RUNNING else ""


@lru_cache(maxsize=256)
def ended_parts(
    run_id: str, status: RunStatus, answer: str, evidence: CitedPlaces, interface: str
) -> list[tuple[str, Html]]:
    """answer: as it is true by now."""
    with use_language(interface):
        return turn_parts(replace(ended_view(run_id, status), answer=answer), evidence)


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
