"""Results of an evaluation: figures by workflow beside those of the last time, charts over time, every question."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import streamlit as st

from core.platform.plain_text import BYTE_ORDER_MARK
from core.runs.evaluation.comparing import (
    Change,
    EvaluationFigures,
    Proportion,
    changes,
    figures_of,
    report_of,
    rows_of,
)
from core.runs.evaluation.model import Evaluation
from core.runs.history.export import as_json, rows_csv
from pages.components.chat.workflow_choices import title_of
from pages.components.run.live_html import live_html
from pages.components.run.run_html import ending_looks
from pages.components.run.run_views import price_table
from pages.components.run.run_words import ending_words
from pages.components.runs.figures import Chart, charts_html, whole
from pages.components.shell.downloads import download_button
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import NO_HTML, Html, render
from pages.components.shell.times import duration

MOST_CHARTED = 20
MOST_ROWS = 400
COLUMNS = ("answered", "declined", "failed", "right_page", "right_answer", "supported", "seconds", "tokens", "cost")


def draw_results(shown: Evaluation, before: Evaluation | None, found: Sequence[Evaluation]) -> str:
    """Draw results; returns the id of the clicked run, or "". found: all evaluations of the list, newest first."""
    store, prices = services().storage.records.evaluations, price_table()
    results = store.results(shown.id)
    if not results:
        return ""
    earlier = store.results(before.id) if before else []
    changed = changes(shown.cases, earlier, results)
    figures = [figures_of(name, results, prices) for name in shown.workflows]
    was = {name: figures_of(name, earlier, prices) for name in shown.workflows} if before else {}
    rows = rows_of(shown.cases, results, changed)
    parts = [
        ("figures", figures_html(figures, was, changed)),
        ("charts", _charts(found) if len(found) > 1 else NO_HTML),
        ("rows", rows_html(rows[:MOST_ROWS], len(rows))),
    ]
    clicked = live_html(f"evaluation-{shown.id}", "evaluation", parts)
    _export(rows, report_of(shown, figures, results, changed, before))
    known = {row["run_id"] for row in rows}
    return clicked.value if clicked and clicked.event == "open" and clicked.value in known else ""


def figures_html(
    figures: Sequence[EvaluationFigures],
    was: Mapping[str, EvaluationFigures],
    changed: Mapping[tuple[str, str], Change],
) -> Html:
    counts = Counter(changed.values())
    note = t("evaluation.compared", worse=counts[Change.WORSE], better=counts[Change.BETTER]) if changed else ""
    rows = []
    for one in figures:
        before = was.get(one.workflow)
        cells = _cells(before) if before and before.asked else [""] * len(COLUMNS)
        rows.append((title_of(one.workflow), list(zip(_cells(one), cells, strict=True))))
    looks = "is-bad" if counts[Change.WORSE] else "is-good"
    return render("runs/evaluation.html", "figures", columns=COLUMNS, rows=rows, note_looks=looks, note_words=note)


def _cells(one: EvaluationFigures) -> list[str]:
    tokens = one.usage.prompt_tokens + one.usage.completion_tokens
    cost = " + ".join(f"{amount:.4f} {currency}" for currency, amount in one.costs.items())
    return [
        f"{one.answered} / {one.asked}",
        str(one.declined),
        str(one.failed),
        *map(_share, (one.right_pages, one.right_answers, one.supported)),
        duration(one.seconds),
        f"{'≈' if one.usage.estimated else ''}{tokens:,}",
        cost or "–",
    ]


def _share(share: Proportion) -> str:
    return f"{share.some} / {share.all}" if share.all else "–"


def rows_html(rows: Sequence[Mapping[str, Any]], count: int) -> Html:
    """Questions with their results. count: of all rows, of which these are the first."""
    return render("runs/evaluation.html", "results", questions=[_row(row) for row in rows], count=count)


def _row(row: Mapping[str, Any]) -> dict[str, object]:
    facts = [title_of(row["workflow"]), duration(row["seconds"])]
    if row["sentences"]:
        facts.append(t("evaluation.sentences", supported=row["supported"], count=row["sentences"]))
    ending = str(row["ending"])
    return {
        "run_id": row["run_id"],
        "question": " ".join(str(row["question"]).split()),
        "ending": ending_words(ending),
        "looks": ending_looks(ending),
        "facts": facts,
        "marks": [(name, row[name]) for name in ("right_page", "right_answer")],
        "change": row["change"],
    }


def _export(rows: Sequence[dict[str, Any]], report: dict[str, Any]) -> None:
    """Draw the downloads, whose files are made on click."""
    with st.container(horizontal=True, key="evaluation-export"):
        for words, name, media, make in (
            ("CSV", "evaluation.csv", "text/csv", lambda: BYTE_ORDER_MARK + rows_csv(rows)),
            ("JSON", "evaluation.json", "application/json", lambda: as_json(report)),
        ):
            download_button(words, name, media, make, "evaluation.exported", str(report["evaluation"]))


def _charts(found: Sequence[Evaluation]) -> Html:
    """Charts of the list's evaluations over time, oldest first, summed over their workflows."""
    charted = list(reversed(found[:MOST_CHARTED]))
    store, prices = services().storage.records.evaluations, price_table()
    sums = [_all([figures_of(name, store.results(one.id), prices) for name in one.workflows]) for one in charted]
    starts = [f"{one.started_at:%Y-%m-%d %H:%M}" for one in charted]
    return charts_html(_chart(starts, sums))


def _all(figures: Sequence[EvaluationFigures]) -> dict[str, float]:
    asked = max(1, sum(one.asked for one in figures))
    expected = sum(one.right_pages.all + one.right_answers.all for one in figures)
    right = sum(one.right_pages.some + one.right_answers.some for one in figures)
    return {
        "answered": sum(one.answered for one in figures),
        "closest": sum(one.declined for one in figures),
        "failed": sum(one.failed for one in figures),
        "right": 100 * right / expected if expected else 0.0,
        "seconds": sum(one.seconds * one.asked for one in figures) / asked,
        "tokens": sum(one.usage.prompt_tokens + one.usage.completion_tokens for one in figures),
    }


def _chart(starts: Sequence[str], sums: Sequence[dict[str, float]]) -> Iterator[Chart]:
    def one(key: str, *kinds: str) -> dict[str, list[float]]:
        return {kind: [values[kind] for values in sums] for kind in (kinds or (key,))}

    words = {kind: t(f"evaluation.chart.{kind}") for kind in ("answered", "closest", "failed")}
    asked = one("", "answered", "closest", "failed")
    newest = sums[-1]
    yield Chart(
        t("evaluation.chart.questions"),
        str(int(sum(values[-1] for values in asked.values()))),
        starts,
        asked,
        words,
        whole,
    )
    yield Chart(
        t("evaluation.chart.right"), f"{newest['right']:.0f} %", starts, one("right"), {}, lambda v: f"{v:.0f} %"
    )
    yield Chart(t("runs.chart.seconds"), duration(newest["seconds"]), starts, one("seconds"), {}, duration)
    if any(values["tokens"] for values in sums):
        yield Chart(t("runs.chart.tokens"), whole(newest["tokens"]), starts, one("tokens"), {}, whole)
