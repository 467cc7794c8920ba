"""Stage 3: running text becomes chunks, and its sections short summaries."""

from core.documents.model import Stage
from core.documents.pipeline.artefacts import Assembled, Chunked
from core.documents.pipeline.stages.job import Job, StageDeps
from core.documents.pipeline.summarise import summarise
from core.documents.reading.chunk import chunk_pieces


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
