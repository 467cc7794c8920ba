"""Stage 6: fills the indexes and publishes the document."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from time import monotonic

from core.documents.model import Document, DocumentStatus, Effort, Stage
from core.documents.pipeline.artefacts import Assembled, Chunked, Extracted, Linked
from core.documents.pipeline.stages.job import Job, Outcome, StageDeps
from core.documents.ports.parsing import Parsed
from core.documents.ports.publishing import Publication, WorkDone
from core.platform.errors import AppError, NotFoundError, RetryableServiceError, attempted

_BATCH = 500
"""Entries per batch; progress and cancellation are handled between batches."""


_LEAST_SECONDS = 0.01
_SECONDS_BETWEEN = 0.1


def index_and_publish(deps: StageDeps, jobs: Sequence[Job]) -> list[Outcome]:
    """Fills the word index, then publishes in one transaction; searches ignore what is not published.

    Several documents together, all of them or none. The VectorBuilder makes the vectors later.
    """
    if len(jobs) == 1:
        return [attempted(partial(_index_one, deps, jobs[0]))]
    publications = [_publication(job) for job in jobs]
    return list(_published(deps, jobs, publications))


def _index_one(deps: StageDeps, job: Job) -> int:
    try:
        (total,) = _published(deps, [job], [_publication(job)])
    except AppError:
        with suppress(RetryableServiceError):  # why it was not published says more
            _put_back(deps, job.document)
        raise
    return total


def _published(deps: StageDeps, jobs: Sequence[Job], publications: Sequence[Publication]) -> list[int]:
    totals = _fill_indexes(deps, jobs, publications)
    with ExitStack() as replacing:
        for job in jobs:
            replacing.enter_context(deps.replacing(job.document))
        done = [
            WorkDone(job.report.ending(total), _spent(job, publication))
            for job, total, publication in zip(jobs, totals, publications, strict=True)
        ]
        deps.publications.publish_together(list(zip(publications, done, strict=True)), _checked(jobs))
    for job, each in zip(jobs, done, strict=True):
        job.report.recorded_with(each.stages)
    return totals


def _checked(jobs: Sequence[Job]) -> Callable[[], None]:
    """Raises CancelledError for any of them; asked before every statement, it looks a few times a second."""
    looked = monotonic()

    def check() -> None:
        nonlocal looked
        if len(jobs) == 1 or monotonic() - looked > _SECONDS_BETWEEN:
            looked = monotonic()
            _check(jobs)

    return check


def _check(jobs: Sequence[Job]) -> None:
    for job in jobs:
        job.report.check()


def _fill_indexes(deps: StageDeps, jobs: Sequence[Job], publications: Sequence[Publication]) -> list[int]:
    """The number of entries of each."""
    levels = [publication.index_entries() for publication in publications]
    totals = [sum(map(len, own.values())) for own in levels]
    base_id, total, done = jobs[0].document.base_id, sum(totals), 0
    for job, own in zip(jobs, totals, strict=True):
        job.report.start("chunks", own)
    if known := [job.document.id for job in jobs if _may_be_indexed(job)]:
        for index in (deps.chunk_index, deps.lexical_index):
            index.delete_documents(base_id, known)
    for level in levels[0]:
        entries = [entry for own in levels for entry in own[level]]
        for start in range(0, len(entries), _BATCH):
            batch = entries[start : start + _BATCH]
            _advance(jobs, done, total)
            deps.lexical_index.upsert(base_id, level, batch)
            done += len(batch)
    _advance(jobs, done, total)
    return totals


def _advance(jobs: Sequence[Job], done: int, total: int) -> None:
    """Several short documents are written too soon for anybody to see how far they are."""
    if len(jobs) == 1:
        jobs[0].report.advance(done, total)
    else:
        _check(jobs)


def _may_be_indexed(job: Job) -> bool:
    """Whether the indexes may hold entries of an earlier reading or of an attempt that was killed."""
    return job.document.status is DocumentStatus.READY or job.work.was_interrupted(Stage.INDEX)


def _put_back(deps: StageDeps, document: Document) -> None:
    """Restores the index entries of the published version, if there is one."""
    try:
        levels = deps.publications.get(document.id).index_entries()
    except NotFoundError:
        levels = {}
    for index in (deps.chunk_index, deps.lexical_index):
        index.delete_documents(document.base_id, [document.id])
    for level, entries in levels.items():
        deps.lexical_index.upsert(document.base_id, level, entries)


def _spent(job: Job, publication: Publication) -> Effort:
    before = sum(job.work.progress(stage).seconds for stage in Stage if stage is not Stage.INDEX)
    used = job.work.load(Stage.EXTRACT, Extracted).usage
    return Effort(
        publication.pages,
        len(publication.chunks),
        used.model_calls,
        used.prompt_tokens,
        used.completion_tokens,
        max(_LEAST_SECONDS, round(before + job.report.seconds, 2)),
    )


def _publication(job: Job) -> Publication:
    parsed = job.work.load(Stage.PARSE, Parsed)
    assembled = job.work.load(Stage.ASSEMBLE, Assembled)
    chunked = job.work.load(Stage.CHUNK, Chunked)
    found = job.work.load(Stage.EXTRACT, Extracted)
    linked = job.work.load(Stage.LINK, Linked)
    return Publication(
        document_id=job.document.id,
        title=assembled.title,
        language=assembled.language,
        parser=parsed.parser,
        pages=parsed.pages,
        notes=(*parsed.notes, *found.notes),
        blocks=parsed.blocks,
        chunks=chunked.chunks,
        summaries=found.summaries or chunked.summaries,
        entities=linked.entities,
        mentions=linked.mentions,
        relations=linked.relations,
    )
