"""Opened runs: one with its answer, steps and replay, or two with their differences; those marked for comparison."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.runs.events import END_EVENTS, Event, NodeFinished
from core.runs.history.compare import Comparison, RunSide, SharedEvidence, compare
from core.runs.history.export import run_with_events
from core.runs.history.prices import Price
from core.runs.history.view import RunView, StepView, fold
from core.runs.model import Run, RunStatus
from core.runs.ports import RunLog
from core.runs.run_lists import RunFilter
from pages.components.chat.actions import LOOKS, act
from pages.components.chat.state import note_click
from pages.components.chat.workflow_choices import pictures_ready, title_of
from pages.components.documents.facts import place_words
from pages.components.run.live_html import Action, live_html
from pages.components.run.live_route import live_address
from pages.components.run.run_html import outcome_chip, run_parts
from pages.components.run.run_views import evidence_of, price_table, step_names, view_of
from pages.components.run.run_words import engine_words, node_words, outcome_words, sentence
from pages.components.run.step_html import cost_words, tokens_of
from pages.components.run.turn_actions import Beside, facts_part
from pages.components.run.turn_html import turn_parts
from pages.components.shell.downloads import download_button
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import MAX_ANSWER, Html, label, render
from pages.components.shell.times import ago, duration
from pages.components.shell.widgets import choice

MOST_OTHERS = 20
MAX_PASSAGE = 260
Pair = tuple[tuple[Run, RunView], tuple[Run, RunView]]
RUN, OTHER = "run", "with"
_MARKED = "runs-marked"


def opened_runs() -> list[str]:
    """Ids of the opened run and of the one that it is compared with, if there are any."""
    return [run_id for name in (RUN, OTHER) if (run_id := st.query_params.get(name, ""))]


def open_run(run_id: str, other: str = "") -> None:
    st.query_params[RUN] = run_id
    if other:
        st.query_params[OTHER] = other
    else:
        st.query_params.pop(OTHER, None)


def close_run() -> None:
    for name in (RUN, OTHER):
        st.query_params.pop(name, None)


def marked() -> tuple[str, ...]:
    """Ids of the runs to compare, at most two, in the order in which they were marked."""
    return tuple(st.session_state.get(_MARKED, ()))


def toggle_mark(run_id: str) -> None:
    """Mark a run or remove its mark; a third one replaces the first."""
    others = tuple(one for one in marked() if one != run_id)
    st.session_state[_MARKED] = others if run_id in marked() else (*others, run_id)[-2:]


def clear_marks() -> None:
    st.session_state.pop(_MARKED, None)


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
    words = t("runs.compare.with")
    named = {key: f"{title_of(line.workflow)} · {ago(line.started_at)}" for key, line in others.items()}.__getitem__
    chosen = choice(words, list(others), f"runs-with-{run.id}", named, index=None, placeholder=words, width=230)
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


def draw_comparison(left: Run, right: Run) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="runs-opened-bar"):
        st.button(t("runs.back"), icon=":material/arrow_back:", on_click=close_run, key="runs-back")
        for number, run in enumerate((left, right), start=1):
            st.button(
                t(f"runs.compare.open_{number}"),
                type="tertiary",
                icon=":material/footprint:",
                key=f"runs-open-{number}",
                on_click=open_run,
                args=(run.id,),
            )
        st.button(t("runs.compare.swap"), icon=":material/swap_horiz:", on_click=open_run, args=(right.id, left.id))
    views = view_of(left), view_of(right)
    parts = comparison_parts(((left, views[0]), (right, views[1])), compare(*views), price_table())
    live_html(f"compare-{left.id}-{right.id}", "compare", parts)


def comparison_parts(pair: Pair, found: Comparison, prices: Sequence[Price]) -> list[tuple[str, Html]]:
    questions = dict.fromkeys(view.question for _, view in pair)
    sides = [(title_of(run.workflow), outcome_chip(view), _facts(run, view, prices)) for run, view in pair]
    share = "" if found.overlap is None else f"{found.overlap:.0%}"
    rows = [_evidence(row) for row in found.evidence]
    steps = [(_step(step.left), _step(step.right)) for step in found.steps]
    return [
        ("questions", render("runs/runs.html", "questions", texts=list(questions))),
        ("facts", render("runs/runs.html", "heads", sides=sides)),
        ("answers", render("runs/runs.html", "answers", sides=_answers(found), limit=MAX_ANSWER)),
        ("evidence", render("runs/runs.html", "evidence", rows=rows, overlap=share, limit=MAX_PASSAGE)),
        ("steps", render("runs/runs.html", "steps", pairs=steps)),
    ]


def _facts(run: Run, view: RunView, prices: Sequence[Price]) -> list[str]:
    facts = [engine_words(run.engine), ago(run.started_at), *([duration(view.seconds)] if view.seconds else [])]
    facts.append(t("chat.run.tokens", count=tokens_of(view.usage) or "0"))
    return [*facts, *cost_words(view.usage, run.engine, prices)]


def _answers(found: Comparison) -> list[tuple[str, list[tuple[str, bool]]]]:
    """The element of the marks of each side, and its pieces: (words, whether only this side has them)."""
    return [
        (tag, [(words, kind is side) for kind, words in found.answer if kind in (RunSide.BOTH, side)])
        for side, tag in ((RunSide.LEFT, "del"), (RunSide.RIGHT, "ins"))
    ]


def _evidence(row: SharedEvidence) -> tuple[str, str, str, str]:
    return row.left, place_words(row.document_name, row.page), row.text, row.right


def _step(step: StepView | None) -> tuple[str, str, list[str], str] | None:
    """Node, outcome, facts and reason."""
    if step is None:
        return None
    facts = [duration(step.seconds)] if step.seconds is not None else []
    facts += [t("chat.run.tokens", count=tokens)] if (tokens := tokens_of(step.usage)) else []
    outcome = outcome_words(step.outcome) if step.outcome else ""
    return node_words(step.node), outcome, facts, sentence(step.reason, step.details)
