"""Stage 3: running text becomes chunks, and its sections short summaries."""

from core.domain.documents import Stage
from core.ingest.pipeline.artefacts import Assembled, Chunked
from core.ingest.pipeline.stages.job import Job, StageDeps
from core.ingest.pipeline.summarise import summarise
from core.ingest.reading.chunk import chunk_pieces


def cut_chunks(deps: StageDeps, job: Job) -> int:
    del deps
    assembled = job.work.load(Stage.ASSEMBLE, Assembled)
    job.report.start("chunks")
    chunks = tuple(chunk_pieces(job.document.id, assembled.pieces))
    job.work.save(Stage.CHUNK, Chunked(chunks, tuple(summarise(job.document.id, assembled.pieces))))
    return len(chunks)
