"""Stage 1: the file becomes blocks."""

import logging
from pathlib import Path

from core.domain.documents import Document, Stage
from core.errors import AppError, InputError
from core.ingest.pipeline.stages.job import Job, StageDeps
from core.ingest.reading.inspection import check_extent

_LOG = logging.getLogger(__name__)


def parse_file(deps: StageDeps, job: Job) -> int:
    document = job.document
    path = deps.files.path(document.sha256)
    if not path.is_file():
        raise InputError("ingest.error.file_missing", name=document.name)
    job.report.start("pages")
    _estimate(deps, document, path)
    parsed = deps.parses.parse(deps.engines.parser(document), document, path, job.report.cancel, job.report.advance)
    check_extent(parsed.pages, sum(len(block.text) for block in parsed.blocks), document.name)
    job.work.save(Stage.PARSE, parsed)
    return parsed.pages


def _estimate(deps: StageDeps, document: Document, path: Path) -> None:
    """Records an estimate if there is none; files that cannot be measured are left to the parser."""
    if document.estimate is not None:
        return
    try:
        estimate = deps.engines.forecaster().of_file(path, document.name, document.parser_choice)
    except AppError as error:
        _LOG.info("%s is not measured: %s", document.id, error)
        return
    deps.records.record_estimate(document.id, estimate)
