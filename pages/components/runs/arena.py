"""The arena: one question answered by several workflows side by side, live, and a vote for the best answer."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.platform.errors import NotFoundError
from core.runs.history.compare import overlap
from core.runs.history.prices import Price
from core.runs.history.view import RunView
from core.runs.model import MAX_QUESTION, Run, RunOptions, RunPurpose, RunRequest, RunStatus
from pages.components.chat.workflow_choices import engine_names, title_of, workflow_names
from pages.components.documents.bases import base_picker, current_base
from pages.components.run.live_html import live_html
from pages.components.run.live_route import live_address
from pages.components.run.run_html import outcome_chip
from pages.components.run.run_views import evidence_of, price_table, view_of
from pages.components.run.run_words import engine_words
from pages.components.run.step_html import cost_words, tokens_of
from pages.components.run.turn_html import turn_parts
from pages.components.runs.opened import open_run, take_click
from pages.components.shell.language import language, t
from pages.components.shell.services import services
from pages.components.shell.text import NO_HTML, Html, render
from pages.components.shell.times import duration

THREAD = "arena"
"""Query parameter: the thread that holds the runs of a comparison."""
MOST = 4
Votes = Sequence[tuple[tuple[str, ...], str]]
"""The sides of each comparison, and the one that won; empty for a tie."""


@dataclass(frozen=True, slots=True)
class Competitor:
    """A side of a comparison: a workflow, with a model where that is not the one of the settings."""

    workflow: str
    engine: str = ""

    @property
    def key(self) -> str:
        """Name in votes."""
        return f"{self.workflow}@{self.engine}" if self.engine else self.workflow


def draw_arena() -> None:
    _ask_bar()
    runs = _runs()
    if runs:
        _draw_sides(runs)
    _draw_scoreboard()


def _ask_bar() -> None:
    base, names, engines = current_base(), workflow_names(), engine_names()
    with st.form("arena-form", border=False):
        question = st.text_area(
            t("arena.question"),
            key="arena-question",
            max_chars=MAX_QUESTION,
            height=80,
            placeholder=t("arena.question"),
        )
        workflows = st.multiselect(
            t("runs.workflow.label"),
            names,
            default=names[:2],
            max_selections=MOST,
            format_func=title_of,
            key="arena-workflows",
        )
        chosen = engines[:1]
        if len(engines) > 1:
            chosen = st.multiselect(
                t("chat.turn.engines"), engines, default=engines[:1], format_func=engine_words, key="arena-engines"
            )
        asked = st.form_submit_button(t("arena.ask"), type="primary", icon=":material/stadium:", disabled=not base)
    if base:
        base_picker(base)
    if asked and base:
        sides = [Competitor(workflow, "" if it == engines[0] else it) for workflow in workflows for it in chosen]
        if question.strip() and 1 < len(sides) <= MOST:
            _start(question.strip(), base.id, sides)
        st.warning(t("arena.needs"), icon=":material/info:")


def _start(question: str, base_id: str, sides: Sequence[Competitor]) -> None:
    """Start the runs in one thread, independent of each other. Does not return."""
    opened, thread_id = services(), ""
    for side in sides:
        run_id = opened.worker.start(
            RunRequest(
                question,
                base_id,
                side.workflow,
                thread_id,
                use_memory=False,
                interface_language=language(),
                after="",
                options=RunOptions(engine=side.engine),
                purpose=RunPurpose.ARENA,
            )
        )
        thread_id = opened.runs.get(run_id).thread_id
        st.query_params[THREAD] = thread_id
    st.rerun()


def _runs() -> list[Run]:
    """Runs of the comparison in the address, without later runs of the thread."""
    thread_id = str(st.query_params.get(THREAD, ""))
    if not thread_id:
        return []
    try:
        found = services().runs.of_thread(services().threads.get(thread_id).id)
    except NotFoundError:
        st.query_params.pop(THREAD, None)
        return []
    return [run for run in found if run.purpose is RunPurpose.ARENA][:MOST]


def _draw_sides(runs: Sequence[Run]) -> None:
    views = [view_of(run) for run in runs]
    over = all(view.status is not RunStatus.RUNNING for view in views)
    prices = price_table()
    with st.container(key="arena-sides"):
        columns = st.columns(len(runs), gap="medium", border=True)
    for run, view, column in zip(runs, views, columns, strict=True):
        stream = live_address(run.id) if view.status is RunStatus.RUNNING else ""
        parts = [part for part in turn_parts(view, evidence_of(view, run.base_id)) if part[0] != "question"]
        with column:
            clicked = live_html(
                f"arena-{run.id}-{view.status}", "turn", [("side", side_facts(run, view, prices)), *parts], stream
            )
            st.button(t("arena.steps"), type="tertiary", key=f"arena-open-{run.id}", on_click=open_run, args=(run.id,))
        take_click(run, clicked)
    if over:
        share = overlap(*views)
        st.caption(t("arena.overlap", share=f"{share:.0%}") if share is not None else t("runs.compare.no_evidence"))
        if len(runs) > 1:
            _vote(runs)
        if len(runs) == 2:
            st.button(
                t("runs.compare.do"), icon=":material/compare_arrows:", on_click=open_run, args=(runs[0].id, runs[1].id)
            )


def _vote(runs: Sequence[Run]) -> None:
    """Draw the vote, which can be changed."""
    votes, names = services().storage.records.votes, [side_of(run).key for run in runs]
    given, choices = votes.of_thread(runs[0].thread_id), [*names, ""]
    chosen = st.segmented_control(
        t("arena.vote"),
        choices,
        default=given if given in choices else None,  # the run of the winner may have been deleted
        format_func=lambda key: side_title(key) if key else t("arena.tie"),
        key=f"arena-vote-{runs[0].thread_id}",
    )
    if chosen is not None and chosen != given:
        votes.vote(runs[0].thread_id, names, chosen)
        st.rerun()


def _draw_scoreboard() -> None:
    votes = services().storage.records.votes.all()
    if votes:
        live_html("arena-scores", "evaluation", (("scores", scoreboard_html(votes)),))


def side_of(run: Run) -> Competitor:
    return Competitor(run.workflow, run.options.engine)


def side_title(key: str) -> str:
    workflow, _, engine = key.partition("@")
    return f"{title_of(workflow)} · {engine_words(engine)}" if engine else title_of(workflow)


def side_facts(run: Run, view: RunView, prices: Sequence[Price]) -> Html:
    facts = []
    is_over = view.status is not RunStatus.RUNNING
    if is_over:
        facts = [duration(view.seconds)] if view.seconds else []
        facts.append(t("chat.run.tokens", count=tokens_of(view.usage) or "0"))
        facts.append(t("arena.sources", count=len(view.citations)))
        if view.unsupported:
            facts.append(t("arena.unsupported", count=len(view.unsupported)))
    facts += cost_words(view.usage, run.engine, prices)
    chip = outcome_chip(view) if is_over else NO_HTML
    return render("runs/arena.html", "head", title=side_title(side_of(run).key), chip=chip, words=facts)


def scoreboard_html(votes: Votes) -> Html:
    """Comparisons, wins and ties of each side; the most wins of all comparisons first."""
    shown: Counter[str] = Counter(name for names, _ in votes for name in set(names))
    won = Counter(winner for _, winner in votes if winner)
    tied: Counter[str] = Counter(name for names, winner in votes if not winner for name in set(names))
    ranked = sorted(shown, key=lambda name: (-won[name] / shown[name], name))
    rows = [(side_title(name), won[name], tied[name], shown[name]) for name in ranked]
    return render("runs/arena.html", "scoreboard", rows=rows)
