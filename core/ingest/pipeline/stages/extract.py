"""Stage 4: entities, relations and summaries."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from core.domain.documents import Stage
from core.errors import CancelledError
from core.ingest.estimating.estimate import OWN_SUMMARY
from core.ingest.pipeline.apart import Walked, run_apart
from core.ingest.pipeline.artefacts import Assembled, Chunked, Extracted, WorkFolder
from core.ingest.pipeline.progress import AwaitingApproval, StageReport
from core.ingest.pipeline.stages.job import Job, Outcome, StageDeps, attempted
from core.ingest.pipeline.summarise import drafts
from core.ingest.pipeline.summarise_model import Summariser, Written
from core.ports.extraction import DocumentExtractor, Extraction, ExtractionRequest
from core.ports.metering import Cancel
from core.ports.models import BUILT_IN, Llm
from core.ports.parsing import Parsed

_WALKS = 8
"""Passes that the rules make over a document in one language; used to show progress."""


def extract_entities(deps: StageDeps, jobs: Sequence[Job]) -> list[Outcome]:
    """By a model, several at once, so that they share calls."""
    types = deps.bases.get(jobs[0].document.base_id).entity_types
    if len(jobs) == 1 or deps.engines.extractor().engine == BUILT_IN:
        return [attempted(partial(_extract, deps, job, types)) for job in jobs]
    deps.records.record_running({job.document.id: job.report.running("chunks") for job in jobs})
    with ThreadPoolExecutor(len(jobs), "extraction") as pool:
        return list(pool.map(lambda job: attempted(partial(_extract, deps, job, types)), jobs))


def _extract(deps: StageDeps, job: Job, types: tuple[str, ...]) -> int:
    texts = [chunk.text for chunk in job.work.load(Stage.CHUNK, Chunked).chunks]
    _ask_first(deps, job, texts)
    extractor, summary_model = deps.engines.extractor(), deps.engines.summary_model()
    found = extract_document(job.document.id, job.work, job.report, types, extractor, summary_model)
    job.work.save(Stage.EXTRACT, found)
    return len(texts)


def _ask_first(deps: StageDeps, job: Job, texts: Sequence[str]) -> None:
    """Raises AwaitingApproval when a model would cost more than the settings allow and nobody has agreed to it."""
    forecaster = deps.engines.forecaster()
    estimate = forecaster.of_texts(job.work.load(Stage.PARSE, Parsed).pages, texts)
    if forecaster.must_ask(job.document, estimate):
        job.report.flush()
        deps.records.record_estimate(job.document.id, estimate, paused=True)
        raise AwaitingApproval


def extract_document(
    document_id: str,
    work: WorkFolder,
    report: StageReport,
    types: tuple[str, ...],
    extractor: DocumentExtractor,
    summary_model: Llm | None,
) -> Extracted:
    """types: classes of the knowledge base; summary_model: None to select sentences instead."""
    assembled = work.load(Stage.ASSEMBLE, Assembled)
    texts = [chunk.text if chunk.enabled else "" for chunk in work.load(Stage.CHUNK, Chunked).chunks]
    report.start("chunks", len(texts))
    order = ExtractionRequest(texts, assembled.language, types, work.answers, report.cancel, report.advance)
    if summary_model is None or len(texts) <= OWN_SUMMARY:
        found = _found(extractor, order)
        return Extracted(found.found, found.relations, found.notes, found.usage)
    with ThreadPoolExecutor(1, "summaries") as beside:
        writing = beside.submit(_written, document_id, assembled, work, report.cancel, summary_model)
        found = _found(extractor, order)
        written = writing.result()
    return Extracted(found.found, found.relations, found.notes, found.usage + written.usage, written.summaries)


def _found(extractor: DocumentExtractor, order: ExtractionRequest) -> Extraction:
    """Model extractors report progress and check for cancellation themselves; rules only calculate."""
    if extractor.engine != BUILT_IN:
        return extractor.extract_document(order)
    texts = Walked(order.texts, _WALKS)
    ordered = replace(order, texts=texts)
    return run_apart(lambda: extractor.extract_document(ordered), lambda: order.progress(texts.done, len(texts)))


def _written(document_id: str, text: Assembled, work: WorkFolder, cancel: Cancel, model: Llm) -> Written:
    def check() -> None:
        if cancel.requested():
            raise CancelledError("error.cancelled")

    return Summariser(model, work.answers, cancel).write(text, drafts(document_id, text.pieces), check)
