"""One run opened: its answer, its steps, and the same run step by step as it happened."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.runs.events import END_EVENTS, Event, NodeFinished
from core.runs.history.export import run_with_events
from core.runs.history.view import RunView, fold
from core.runs.model import Run, RunStatus
from core.runs.ports import RunLog
from core.runs.run_lists import RunFilter
from pages.components.chat.actions import LOOKS, act
from pages.components.chat.state import note_click
from pages.components.chat.workflow_choices import pictures_ready, title_of
from pages.components.run.branch_html import Beside
from pages.components.run.live_html import Action, live_html
from pages.components.run.live_route import live_address
from pages.components.run.run_html import run_parts
from pages.components.run.run_views import evidence_of, step_names, view_of
from pages.components.run.run_words import node_words
from pages.components.run.turn_actions import facts_part
from pages.components.run.turn_html import turn_parts
from pages.components.runs.state import close_run, open_run
from pages.components.shell.downloads import download_button
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label
from pages.components.shell.times import ago

MOST_OTHERS = 20


def draw_run(run: Run) -> None:
    _bar(run)
    view = view_of(run)
    running = view.status is RunStatus.RUNNING
    shown = view if running else _replayed(run, view)
    stream = live_address(run.id) if running or (shown is view and not pictures_ready()) else ""
    with st.container(key="chat-columns"):
        left, right = st.columns([62, 38], gap="large")
    parts = turn_parts(shown, evidence_of(shown, run.base_id))
    key = f"{run.id}-{len(shown.steps)}-{shown.status}"
    with left:
        clicked = live_html(
            f"turn-{key}", "turn", [parts[0], ("facts", facts_part(run, view, Beside())), *parts[1:]], stream
        )
    with right, st.container(key="run-panel"):
        clicked = live_html(f"run-{key}", "run", run_parts(shown, step_names(shown, run.base_id)), stream) or clicked
    take_click(run, clicked)


def take_click(run: Run, clicked: Action | None) -> None:
    """Handle a click in a turn; what goes on from the run is left to its conversation, which then shows it."""
    if clicked is None:
        return
    if clicked.event == "finished":
        st.rerun()
    if clicked.event in LOOKS:
        act(run, clicked)
    else:
        note_click(run.id, clicked)
        st.switch_page("pages/chat.py", query_params={"thread": run.thread_id, "run": run.id})


def _bar(run: Run) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="runs-opened-bar"):
        st.button(t("runs.back"), icon=":material/arrow_back:", on_click=close_run, key="runs-back")
        st.page_link(
            "pages/chat.py",
            label=t("runs.open_chat"),
            icon=":material/forum:",
            query_params={"thread": run.thread_id, "run": run.id},
            width="content",
        )
        words, name, make = t("runs.export.run"), f"run-{run.id[:8]}.json", partial(_run_json, services().runs, run.id)
        download_button(words, name, "application/json", make, "runs.exported", run.id, key="runs-export-run")
        _compare_with(run)


def _run_json(log: RunLog, run_id: str) -> str:
    return run_with_events(log.get(run_id), (event for _, event in log.events(run_id, 0)))


def _compare_with(run: Run) -> None:
    """Draw the choice of another run of the same question to compare with."""
    found = services().storage.records.run_lists.find(RunFilter(question=run.question), MOST_OTHERS + 1)
    same = (line for line in found if line.question.casefold() == run.question.casefold())  # longer ones have it, too
    others = {line.id: line for line in same if line.id != run.id}
    if not others:
        return
    chosen = st.selectbox(
        t("runs.compare.with"),
        list(others),
        index=None,
        format_func=lambda key: f"{title_of(others[key].workflow)} · {ago(others[key].started_at)}",
        placeholder=t("runs.compare.with"),
        label_visibility="collapsed",
        key=f"runs-with-{run.id}",
        width=230,
    )
    if chosen:
        open_run(run.id, chosen)
        st.rerun()


def _replayed(run: Run, view: RunView) -> RunView:
    """View of the run after the chosen step; the whole run by default."""
    events = [event for _, event in services().runs.events(run.id, 0)]
    moments = moments_of(events)
    if len(moments) < 2:
        return view
    chosen = st.select_slider(
        t("runs.replay"),
        range(len(moments) + 1),
        value=len(moments),
        format_func=lambda at: label(_moment_words(view, at, len(moments)), 60),
        key=f"runs-replay-{run.id}",
    )
    return view if chosen == len(moments) else fold(events[: moments[chosen]])


def _moment_words(view: RunView, at: int, all_moments: int) -> str:
    if at == all_moments or at >= len(view.steps):
        return t("runs.replay_end")
    return f"{at + 1}. {node_words(view.steps[at].node)}"


def moments_of(events: Sequence[Event]) -> list[int]:
    """Number of events at the end of each step."""
    ends = [at + 1 for at, event in enumerate(events) if isinstance(event, NodeFinished)]
    last = [at for at, event in enumerate(events) if isinstance(event, END_EVENTS)]
    return [min(end, last[0]) if last else end for end in ends]
