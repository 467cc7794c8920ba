"""Stage 2: blocks become running text."""

from core.documents.model import Stage
from core.documents.pipeline.artefacts import Assembled
from core.documents.pipeline.background import Walked
from core.documents.pipeline.stages.job import Job, StageDeps
from core.documents.ports.parsing import Parsed
from core.documents.reading.assemble import assemble, language_of, title_of
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
