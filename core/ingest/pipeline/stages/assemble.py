"""Stage 2: blocks become running text."""

from core.domain.documents import Stage
from core.ingest.pipeline.apart import Walked
from core.ingest.pipeline.artefacts import Assembled
from core.ingest.pipeline.stages.job import Job, StageDeps
from core.ingest.reading.assemble import assemble
from core.ingest.reading.describe import language_of, title_of
from core.platform.errors import InputError
from core.ports.parsing import Parsed


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
