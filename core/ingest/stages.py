"""The six stages: each reads what the ones before it left, does its work through ports, and leaves its own result."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from core.domain.documents import Chunk, Document, Effort, Stage
from core.domain.knowledge import Entity, Found, Mention
from core.errors import AppError, InputError, NotFoundError
from core.ingest.artefacts import Assembled, Chunked, Extracted, Linked, WorkFolder
from core.ingest.assemble import assemble
from core.ingest.chunk import chunk_pieces
from core.ingest.describe import language_of, title_of
from core.ingest.entries import index_entries
from core.ingest.extracting import extracted
from core.ingest.files import FileStore
from core.ingest.forecast import Forecaster
from core.ingest.parse_cache import ParseCache
from core.ingest.progress import Paused, StageReport
from core.ingest.summarise import summarise
from core.kg.stating import stated
from core.ports import (
    ChunkIndex,
    DocumentExtractor,
    DocumentParser,
    IndexEntry,
    LexicalIndex,
    Library,
    Llm,
    Parsed,
    Publication,
)

_LOG = logging.getLogger(__name__)
_BATCH = 64
"""Entries embedded and indexed at a time: progress moves and a cancel is heard between two batches."""


Link = Callable[[str, str, Sequence[Chunk], Sequence[Sequence[Found]]], tuple[tuple[Entity, ...], tuple[Mention, ...]]]
"""(base id, document id, chunks, what was found in each) -> entities and mentions; core.kg.linking.link."""


Replacing = Callable[[Document], AbstractContextManager[None]]
"""Around the publishing of a document: keeps what it replaces; core.ingest.removal.Removal.replacing."""


def nothing_replaced(document: Document) -> AbstractContextManager[None]:
    del document
    return nullcontext()


def no_model() -> Llm | None:
    return None


def always_here(document: Document, stage: Stage) -> bool:
    del document, stage
    return False


@dataclass(frozen=True, slots=True)
class Tools:
    """The ports that stages work through."""

    library: Library
    files: FileStore
    parser_for: Callable[[Document], DocumentParser]
    """The one chosen for the document, by the settings of this moment."""
    parses: ParseCache
    extractor_for: Callable[[Document], DocumentExtractor]
    chunk_index: ChunkIndex
    lexical_index: LexicalIndex
    link: Link
    forecaster: Callable[[], Forecaster]
    """By the settings of this moment."""
    replacing: Replacing = nothing_replaced
    summary_model: Callable[[], Llm | None] = no_model
    """What writes the summaries; None leaves them to the text's own sentences."""
    waits_elsewhere: Callable[[Document, Stage], bool] = always_here
    """Whether the stage is mostly waiting for a service, by the settings of this moment."""


@dataclass(frozen=True, slots=True)
class Job:
    document: Document
    work: WorkFolder
    report: StageReport


def parse_file(tools: Tools, job: Job) -> int:
    document = job.document
    path = tools.files.path(document.sha256)
    if not path.is_file():
        raise InputError("ingest.error.file_missing", name=document.name)
    job.report.start("pages")
    _estimate(tools, document, path)
    parsed = tools.parses.parse(tools.parser_for(document), document, path, job.report.cancel, job.report.advance)
    job.work.save(Stage.PARSE, parsed)
    return parsed.pages


def _estimate(tools: Tools, document: Document, path: Path) -> None:
    """For the record, where nobody asked before; a file that cannot be measured is the parser's to judge."""
    if document.estimate is not None:
        return
    try:
        estimate = tools.forecaster().of_file(path, document.name, document.parser_choice)
    except AppError as error:
        _LOG.info("%s is not measured: %s", document.id, error)
        return
    tools.library.record_estimate(document.id, estimate)


def assemble_text(tools: Tools, job: Job) -> int:
    del tools
    parsed = job.work.load(Stage.PARSE, Parsed)
    job.report.start("blocks", len(parsed.blocks))
    pieces = tuple(assemble(parsed.blocks))
    if not pieces:
        raise InputError("ingest.error.no_text", name=job.document.name)
    title = title_of(parsed.blocks, parsed.title, job.document.name)
    job.work.save(Stage.ASSEMBLE, Assembled(title, language_of(pieces), pieces))
    return len(parsed.blocks)


def cut_chunks(tools: Tools, job: Job) -> int:
    del tools
    assembled = job.work.load(Stage.ASSEMBLE, Assembled)
    job.report.start("chunks")
    chunks = tuple(chunk_pieces(job.document.id, assembled.pieces))
    job.work.save(Stage.CHUNK, Chunked(chunks, tuple(summarise(job.document.id, assembled.pieces))))
    return len(chunks)


def extract_entities(tools: Tools, job: Job) -> int:
    texts = [chunk.text for chunk in job.work.load(Stage.CHUNK, Chunked).chunks]
    _ask_first(tools, job, texts)
    types = tools.library.base(job.document.base_id).entity_types
    extractor, summary_model = tools.extractor_for(job.document), tools.summary_model()
    found = extracted(job.document.id, job.work, job.report, types, extractor, summary_model)
    job.work.save(Stage.EXTRACT, found)
    return len(texts)


def _ask_first(tools: Tools, job: Job, texts: Sequence[str]) -> None:
    """Raises Paused when a model would cost more than the settings allow and nobody has agreed to it."""
    forecaster = tools.forecaster()
    estimate = forecaster.of_texts(job.work.load(Stage.PARSE, Parsed).pages, texts)
    if forecaster.must_ask(job.document, estimate):
        tools.library.record_estimate(job.document.id, estimate, paused=True)
        raise Paused


def link_entities(tools: Tools, job: Job) -> int:
    chunks = job.work.load(Stage.CHUNK, Chunked).chunks
    found = job.work.load(Stage.EXTRACT, Extracted)
    job.report.start("entities")
    entities, mentions = tools.link(job.document.base_id, job.document.id, chunks, found.found)
    job.work.save(Stage.LINK, Linked(entities, mentions, stated(chunks, mentions, found.relations)))
    return len(entities)


def index_and_publish(tools: Tools, job: Job) -> int:
    """Indexes first, then the one transaction that makes the document visible; searches drop what is not visible."""
    publication = _publication(job)
    try:
        total = _fill_indexes(tools, job, publication)
        with tools.replacing(job.document):
            tools.library.publish(publication)
    except AppError:
        _put_back(tools, job.document)
        raise
    tools.library.record_spent(job.document.id, _spent(job, publication))
    return total


def _fill_indexes(tools: Tools, job: Job, publication: Publication) -> int:
    levels = index_entries(publication)
    report, total, done = job.report, sum(map(len, levels.values())), 0
    report.start("vectors", total)
    base_id = job.document.base_id
    for index in (tools.chunk_index, tools.lexical_index):
        index.delete_documents(base_id, [job.document.id])
    for level, entries in levels.items():
        for batch in _batches(entries):
            report.advance(done, total)
            tools.chunk_index.upsert(base_id, level, batch)
            done += len(batch)
        tools.lexical_index.upsert(base_id, level, entries)
    report.advance(done, total)
    return total


def _put_back(tools: Tools, document: Document) -> None:
    """The indexes as the library is: of a document that was ready before what was published, of another nothing."""
    try:
        levels = index_entries(tools.library.publication(document.id))
    except NotFoundError:
        levels = {}
    for index in (tools.chunk_index, tools.lexical_index):
        index.delete_documents(document.base_id, [document.id])
        for level, entries in levels.items():
            index.upsert(document.base_id, level, entries)


def _spent(job: Job, publication: Publication) -> Effort:
    before = sum(job.work.progress(stage).seconds for stage in Stage if stage is not Stage.INDEX)
    used = job.work.load(Stage.EXTRACT, Extracted).usage
    return Effort(
        publication.pages,
        len(publication.chunks),
        used.model_calls,
        used.prompt_tokens,
        used.completion_tokens,
        round(before + job.report.seconds, 2),
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


STAGES: dict[Stage, Callable[[Tools, Job], int]] = {
    Stage.PARSE: parse_file,
    Stage.ASSEMBLE: assemble_text,
    Stage.CHUNK: cut_chunks,
    Stage.EXTRACT: extract_entities,
    Stage.LINK: link_entities,
    Stage.INDEX: index_and_publish,
}
"""In the order they run; each returns how much it did, in the unit that it reports."""
