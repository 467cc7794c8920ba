"""Stage 6: fills the indexes and publishes the document."""

from collections.abc import Iterator, Sequence
from itertools import islice

from core.domain.documents import Document, DocumentStatus, Effort, Stage
from core.errors import AppError, NotFoundError
from core.ingest.pipeline.artefacts import Assembled, Chunked, Extracted, Linked
from core.ingest.pipeline.entries import index_entries
from core.ingest.pipeline.stages.job import Job, StageDeps
from core.ports.parsing import Parsed
from core.ports.publishing import Publication, WorkDone
from core.ports.search import IndexEntry

_BATCH = 500
"""Entries per batch; progress and cancellation are handled between batches."""


_LEAST_SECONDS = 0.01


def index_and_publish(deps: StageDeps, job: Job) -> int:
    """Fills the word index, then publishes in one transaction; searches ignore what is not published.

    The VectorBuilder makes the vectors later.
    """
    publication = _publication(job)
    try:
        total = _fill_indexes(deps, job, publication)
        with deps.replacing(job.document):
            done = WorkDone(job.report.ending(total), _spent(job, publication))
            deps.publications.publish(publication, job.report.check, done)
    except AppError:
        _put_back(deps, job.document)
        raise
    job.report.recorded_with(done.stages)
    return total


def _fill_indexes(deps: StageDeps, job: Job, publication: Publication) -> int:
    levels = index_entries(publication)
    report, total, done = job.report, sum(map(len, levels.values())), 0
    report.start("chunks", total)
    base_id = job.document.base_id
    if _may_be_indexed(job):
        for index in (deps.chunk_index, deps.lexical_index):
            index.delete_documents(base_id, [job.document.id])
    for level, entries in levels.items():
        for batch in _batches(entries):
            report.advance(done, total)
            deps.lexical_index.upsert(base_id, level, batch)
            done += len(batch)
    report.advance(done, total)
    return total


def _may_be_indexed(job: Job) -> bool:
    """Whether the indexes may hold entries of an earlier reading or of an attempt that was killed."""
    return job.document.status is DocumentStatus.READY or job.work.begun(Stage.INDEX) > 1


def _put_back(deps: StageDeps, document: Document) -> None:
    """Restores the index entries of the published version, if there is one."""
    try:
        levels = index_entries(deps.publications.get(document.id))
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


def _batches(entries: Sequence[IndexEntry]) -> Iterator[list[IndexEntry]]:
    waiting = iter(entries)
    while batch := list(islice(waiting, _BATCH)):
        yield batch
