"""Two runs side by side: facts, answers with their differences, evidence, steps."""

from collections.abc import Sequence

import streamlit as st

from core.runs.history.compare import Comparison, RunSide, SharedEvidence, compare
from core.runs.history.prices import Price
from core.runs.history.view import RunView, StepView
from core.runs.model import Run
from pages.components.chat.workflow_choices import title_of
from pages.components.documents.facts import place_words
from pages.components.run.live_html import live_html
from pages.components.run.run_html import outcome_chip
from pages.components.run.run_views import price_table, view_of
from pages.components.run.run_words import engine_words, node_words, outcome_words, sentence
from pages.components.run.step_numbers import cost_words, tokens_of
from pages.components.runs.state import close_run, open_run
from pages.components.shell.language import t
from pages.components.shell.text import MAX_ANSWER, Html, render
from pages.components.shell.times import ago, duration

MAX_PASSAGE = 260
Pair = tuple[tuple[Run, RunView], tuple[Run, RunView]]


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
