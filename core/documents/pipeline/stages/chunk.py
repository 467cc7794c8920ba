"""Stages 2 and 3: blocks become running text, which becomes chunks, and its sections short summaries."""

from core.documents.model import Stage
from core.documents.pipeline.artefacts import Assembled, Chunked
from core.documents.pipeline.background import Walked
from core.documents.pipeline.stages.job import Job, StageDeps
from core.documents.pipeline.summarise import summarise
from core.documents.ports.parsing import Parsed
from core.documents.reading.assemble import assemble, language_of, title_of
from core.documents.reading.chunk import chunk_pieces
from core.platform.errors import InputError


def assemble_text(deps: StageDeps, job: Job) -> int:
    del deps
    parsed = job.work.load(Stage.PARSE, Parsed)
    job.report.start("blocks", len(parsed.blocks))
    blocks = Walked(parsed.blocks, times=1)
    pieces = tuple(job.calculate(lambda: assemble(blocks), lambda: job.report.advance(blocks.done, len(blocks))))
    if not pieces:
        raise InputError("ingest.error.no_text", name=job.document.name)
    title = title_of(parsed.blocks, parsed.title, job.document.name)
    job.work.save(Stage.ASSEMBLE, Assembled(title, language_of(pieces), pieces))
    return len(parsed.blocks)


def cut_chunks(deps: StageDeps, job: Job) -> int:
    del deps
    assembled = job.work.load(Stage.ASSEMBLE, Assembled)
    job.report.start("chunks")
    document_id, pieces = job.document.id, assembled.pieces
    made = job.calculate(
        lambda: Chunked(tuple(chunk_pieces(document_id, pieces)), tuple(summarise(document_id, pieces))),
        lambda: job.report.advance(0, 0),
    )
    job.work.save(Stage.CHUNK, made)
    return len(made.chunks)
