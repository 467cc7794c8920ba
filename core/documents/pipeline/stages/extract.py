"""Stages 4 and 5: entities, relations and summaries, and the links of chunks to entities of the knowledge base."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial

from core.documents.estimating.forecast import OWN_SUMMARY
from core.documents.model import Chunk, Stage
from core.documents.pipeline.artefacts import Assembled, Chunked, Extracted, Linked
from core.documents.pipeline.background import Walked, run_apart
from core.documents.pipeline.progress import AwaitingApproval
from core.documents.pipeline.stages.job import DocumentEngines, Job, Outcome, StageDeps
from core.documents.pipeline.summarise import drafts
from core.documents.pipeline.summarise_model import Summariser, WrittenSummary
from core.documents.ports.extraction import DocumentExtractor, Extraction, ExtractionRequest, JointExtractor
from core.documents.ports.parsing import Parsed
from core.graph.linking.linking import stated_relations_in
from core.models.ports import BUILT_IN
from core.platform.errors import attempted
from core.rulebook.extraction import statements_in
from core.runs.model import Usage

_WALKS = 8
"""Passes that the rules make over a document in one language; used to show progress."""


def extract_entities(deps: StageDeps, jobs: Sequence[Job]) -> list[Outcome]:
    """Several at once by a model, so that they share calls."""
    types = deps.bases.get(jobs[0].document.base_id).entity_types
    extractor = deps.engines.extractor()
    if len(jobs) > 1 and isinstance(extractor, JointExtractor):
        return _extract_together(deps, jobs, types, extractor)
    jobs[0].arrived()
    return [attempted(partial(_extract, deps, job, types)) for job in jobs]


def _extract_together(
    deps: StageDeps, jobs: Sequence[Job], types: tuple[str, ...], extractor: JointExtractor
) -> list[Outcome]:
    deps.records.record_running({job.document.id: job.report.running("chunks") for job in jobs})
    asked = [attempted(partial(_ask_first, deps, job)) for job in jobs]
    going = [job for job, problem in zip(jobs, asked, strict=True) if problem is None]
    orders = [_order(job, types) for job in going]
    with ThreadPoolExecutor(len(jobs), "summaries") as beside:
        writing = [_writing(beside, job, deps.engines) for job in going]
        found = extractor.extract_together(orders, jobs[0].arrived) if going else []
        kept = iter(
            [
                made if isinstance(made, Exception) else attempted(partial(_keep, job, made, written))
                for job, made, written in zip(going, found, writing, strict=True)
            ]
        )
    return [next(kept) if problem is None else problem for problem in asked]


def _extract(deps: StageDeps, job: Job, types: tuple[str, ...]) -> int:
    _ask_first(deps, job)
    order, extractor = _order(job, types), deps.engines.extractor()
    job.report.start("chunks", len(order.texts))
    with ThreadPoolExecutor(1, "summaries") as beside:
        written = _writing(beside, job, deps.engines)
        return _keep(job, _found(extractor, order), written)


def _ask_first(deps: StageDeps, job: Job) -> None:
    """Raises AwaitingApproval when a model would cost more than the settings allow and nobody has agreed to it."""
    forecaster, texts = deps.engines.forecaster(), [chunk.text for chunk in _chunks(job)]
    estimate = forecaster.of_texts(job.work.load(Stage.PARSE, Parsed).pages, texts)
    if forecaster.must_ask(job.document, estimate):
        job.report.flush()
        deps.records.record_estimate(job.document.id, estimate, paused=True)
        raise AwaitingApproval


def _chunks(job: Job) -> tuple[Chunk, ...]:
    return job.work.load(Stage.CHUNK, Chunked).chunks


def _order(job: Job, types: tuple[str, ...]) -> ExtractionRequest:
    """types: classes of the knowledge base."""
    texts = [chunk.text if chunk.enabled else "" for chunk in _chunks(job)]
    language = job.work.load(Stage.ASSEMBLE, Assembled).language
    return ExtractionRequest(texts, language, types, job.work.answers, job.report.cancel, job.report.advance)


def _writing(beside: ThreadPoolExecutor, job: Job, engines: DocumentEngines) -> Callable[[], WrittenSummary]:
    """The summaries by a model, in a thread while entities are found; none where sentences are selected instead."""
    model = engines.summary_model()
    if model is None or len(_chunks(job)) <= OWN_SUMMARY:
        return lambda: WrittenSummary((), Usage())
    text = job.work.load(Stage.ASSEMBLE, Assembled)
    summariser = Summariser(model, engines.forecaster().pace, job.work.answers, job.report.cancel)
    return beside.submit(lambda: summariser.write(text, drafts(job.document.id, text.pieces))).result


def _keep(job: Job, found: Extraction, writing: Callable[[], WrittenSummary]) -> int:
    written = writing()
    usage = found.usage + written.usage
    job.work.save(Stage.EXTRACT, Extracted(found.found, found.relations, found.notes, usage, written.summaries))
    return len(found.found)


def _found(extractor: DocumentExtractor, order: ExtractionRequest) -> Extraction:
    """Model extractors report progress and check for cancellation themselves; rules only calculate."""
    if extractor.engine != BUILT_IN:
        return extractor.extract_document(order)
    texts = Walked(order.texts, _WALKS)
    ordered = replace(order, texts=texts)
    return run_apart(lambda: extractor.extract_document(ordered), lambda: order.progress(texts.done, len(texts)))


def link_entities(deps: StageDeps, job: Job) -> int:
    chunks = job.work.load(Stage.CHUNK, Chunked).chunks
    found = job.work.load(Stage.EXTRACT, Extracted)
    job.report.start("entities")
    made = job.calculate(lambda: _linked(deps, job, chunks, found), lambda: job.report.advance(0, 0))
    job.work.save(Stage.LINK, made)
    return len(made.entities)


def _linked(deps: StageDeps, job: Job, chunks: Sequence[Chunk], found: Extracted) -> Linked:
    said, names = statements_in([chunk.text for chunk in chunks], found.found)
    entities, mentions = deps.link(job.document.base_id, job.document.id, chunks, names)
    return Linked(entities, mentions, stated_relations_in(chunks, mentions, [*found.relations, *said]))
