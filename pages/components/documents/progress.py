"""Progress of documents that are being read, stage by stage, and the estimated and actual effort in words."""

from collections.abc import Mapping, Sequence
from functools import partial

import streamlit as st

from core.documents.model import (
    ACTIVE,
    Document,
    DocumentFilter,
    DocumentStatus,
    Effort,
    Stage,
    StageProgress,
    share_done,
)
from core.runs.history.prices import cost_of
from core.runs.model import Usage
from pages.components.documents.facts import counted_in_words
from pages.components.documents.notices import attempt
from pages.components.run.run_views import price_table
from pages.components.shell.boundary import sentence_of
from pages.components.shell.language import joined, t
from pages.components.shell.services import services
from pages.components.shell.text import Html, markdown_of, render
from pages.components.shell.times import duration
from pages.components.shell.widgets import refresh_page

REFRESH_SECONDS = 0.7
VECTORS_REFRESH_SECONDS = 2.0
SHOWN = 6
UNITS = ("pages", "blocks", "chunks", "entities")


def effort_words(effort: Effort) -> list[str]:
    """Pages, chunks, model calls, tokens, cost and time; zeros are left out."""
    counted = (("pages", effort.pages), ("chunks", effort.chunks))
    words = [counted_in_words(name, count) for name, count in counted if count]
    if effort.recognised:
        words.append(t("documents.effort.recognised", count=f"{effort.recognised:,}"))
    if effort.model_calls:
        words.append(t("documents.effort.calls", count=f"{effort.model_calls:,}"))
    if effort.tokens:
        words.append(t("documents.effort.tokens", count=f"{effort.tokens:,}"))
        words.append(_cost(effort))
    return [*words, *([duration(effort.seconds)] if effort.seconds else [])]


def compared(estimate: Effort | None, spent: Effort | None) -> str:
    """Estimated and actual time and tokens; "" if either is unknown."""
    if not estimate or not spent or not spent.seconds:
        return ""
    pairs = [(duration(estimate.seconds), duration(spent.seconds))]
    if estimate.tokens or spent.tokens:
        pairs.append((_tokens(estimate), _tokens(spent)))
    before, after = (joined(side) for side in zip(*pairs, strict=True))
    return t("documents.effort.compared", estimate=before, spent=after)


def _tokens(effort: Effort) -> str:
    return t("documents.effort.tokens", count=f"{effort.tokens:,}")


def _cost(effort: Effort) -> str:
    usage = Usage(effort.model_calls, effort.prompt_tokens, effort.completion_tokens)
    cost = cost_of(usage, services().llm.engine, price_table())
    if cost is None:
        return t("documents.effort.no_price")
    return t("documents.effort.cost", amount=f"{cost.amount:.2f} {cost.currency}")


def work_in_progress(base_id: str, counts: Mapping[DocumentStatus, int], editable: bool) -> None:
    """A fragment that refreshes until the work is finished; empty if nothing is being read.

    counts: of the documents by status; editable: whether the reader may cancel.
    """
    if _active(counts):
        _follow(base_id, _active(counts), _settled(counts), editable)


def _active(counts: Mapping[DocumentStatus, int]) -> int:
    return sum(counts.get(status, 0) for status in ACTIVE)


def _settled(counts: Mapping[DocumentStatus, int]) -> int:
    return sum(counts.values()) - _active(counts)


def vectors_in_progress(base_id: str) -> None:
    """How many passages already have vectors; empty once all have."""
    if not services().search.vector_progress(base_id).is_complete:
        _follow_vectors(base_id)


@st.fragment(run_every=VECTORS_REFRESH_SECONDS)
def _follow_vectors(base_id: str) -> None:
    made = services().search.vector_progress(base_id)
    if made.is_complete:
        refresh_page()
    st.progress(made.done / max(made.total, 1), t("ingest.vectors", done=made.done, total=made.total))


@st.fragment(run_every=REFRESH_SECONDS)
def _follow(base_id: str, active: int, settled: int, editable: bool) -> None:
    """active, settled: documents when the page was drawn."""
    stored = services().library.documents
    counts = stored.counts(base_id)
    if _settled(counts) != settled or _active(counts) < active:
        refresh_page()  # something is ready, has failed or has taken another one's place: the list below has changed
    if _active(counts) and (fault := services().ingestion.fault):
        st.warning(markdown_of(sentence_of(fault), 600), icon=":material/warning:")
    shown = stored.find(base_id, DocumentFilter((DocumentStatus.RUNNING,)), limit=SHOWN)
    if len(shown) < SHOWN:
        shown += stored.find(base_id, DocumentFilter((DocumentStatus.QUEUED,)), limit=SHOWN - len(shown))
    for document in shown:
        _document(document, editable)
    hidden = _active(counts) - len(shown)
    if hidden > 0:
        st.caption(t("documents.work.more", count=hidden))


def _document(document: Document, editable: bool) -> None:
    stages = services().library.ingest_records.stages(document.id)
    with st.container(border=True, horizontal=True, vertical_alignment="center", key=f"work-{document.id}"):
        st.html(work_html(document, stages), width="stretch")
        if editable:
            st.button(
                t("documents.work.cancel"),
                icon=":material/stop_circle:",
                type="tertiary",
                key=f"cancel-{document.id}",
                on_click=attempt,
                args=(partial(services().lifecycle.intake.cancel, document.id),),
            )


def work_html(document: Document, stages: Sequence[StageProgress]) -> Html:
    """Name, progress bar and counts of each stage; only the name of a waiting document."""
    if document.status is DocumentStatus.QUEUED:
        return render("documents/document.html", "queued", name=document.name)
    share = share_done(stages)
    known = {row.stage: row for row in stages}
    return render(
        "documents/document.html",
        "work",
        name=document.name,
        share=f"{share:.0%}",
        value=f"{share:.3f}",
        stages=[_stage(stage, known.get(stage)) for stage in Stage],
        expected=_expected(document),
    )


def _expected(document: Document) -> str:
    """The estimate for documents that need OCR; empty for short work."""
    if not document.estimate or not document.estimate.recognised:
        return ""
    return t("documents.work.expected", effort=joined(effort_words(document.estimate)))


def _stage(stage: Stage, row: StageProgress | None) -> tuple[str, str, str]:
    """Status, name and detail."""
    status = row.status if row else "waiting"
    return status, t(f"documents.stage.{stage}"), _detail(row) if row and status != "waiting" else ""


def _detail(row: StageProgress) -> str:
    """Progress of a stage: 34 of 120 pages · 4.2 s."""
    is_partly = row.status == "running" and row.total
    unit = t(f"documents.unit.{row.unit}", count=row.total if is_partly else row.done) if row.unit in UNITS else ""
    if is_partly:
        count = t("documents.work.of", done=f"{row.done:,}", total=f"{row.total:,}", unit=unit)
    else:
        count = t("documents.work.done", done=f"{row.done:,}", unit=unit) if row.done and unit else ""
    return " · ".join(part for part in (count, duration(row.seconds) if row.seconds else "") if part)
