"""Stage 1: the file becomes blocks."""

import logging
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from core.documents.model import Document, Effort, Stage
from core.documents.pipeline.stages.job import Job, Outcome, StageDeps
from core.documents.ports.parsing import GroupParser, Parsed, SourceFile
from core.documents.reading.inspection import check_extent
from core.platform.errors import AppError, InputError, attempted

_LOG = logging.getLogger(__name__)


def parse_files(deps: StageDeps, jobs: Sequence[Job]) -> list[Outcome]:
    """Several short texts at once where the parser can: without the cache, which takes longer than reading them."""
    parser = deps.engines.parser(jobs[0].document) if len(jobs) > 1 else None
    if not isinstance(parser, GroupParser):
        return [attempted(partial(_parse_file, deps, job)) for job in jobs]
    files = [attempted(partial(_file, deps, job)) for job in jobs]
    found = {job.document.id: file for job, file in zip(jobs, files, strict=True) if isinstance(file, SourceFile)}
    new = [job.document for job in jobs if job.document.id in found and job.document.estimate is None]
    estimates = {each.id: _estimate(deps, each, found[each.id].path) for each in new}
    deps.records.record_estimates({id: estimate for id, estimate in estimates.items() if estimate})
    parsed = iter(parser.parse_together(list(found.values())))
    made = [next(parsed) if isinstance(file, SourceFile) else file for file in files]
    return [
        each if isinstance(each, Exception) else attempted(partial(_kept, job, each.storable()))
        for job, each in zip(jobs, made, strict=True)
    ]


def _parse_file(deps: StageDeps, job: Job) -> int:
    document, file = job.document, _file(deps, job)
    if document.estimate is None and (estimate := _estimate(deps, document, file.path)):
        deps.records.record_estimate(document.id, estimate)
    parser, report = deps.engines.parser(document), job.report
    return _kept(job, deps.parses.parse(parser, document, file.path, report.cancel, report.advance))


def _file(deps: StageDeps, job: Job) -> SourceFile:
    document = job.document
    path = deps.files.path(document.sha256)
    if not path.is_file():
        raise InputError("ingest.error.file_missing", name=document.name)
    job.report.start("pages")
    return SourceFile(path, document.name, document.media_type)


def _kept(job: Job, parsed: Parsed) -> int:
    check_extent(parsed.pages, sum(len(block.text) for block in parsed.blocks), job.document.name)
    job.work.save(Stage.PARSE, parsed)
    return parsed.pages


def _estimate(deps: StageDeps, document: Document, path: Path) -> Effort | None:
    """Files that cannot be measured are left to the parser."""
    try:
        return deps.engines.forecaster().of_file(path, document.name, document.parser_choice)
    except AppError as error:
        _LOG.info("%s is not measured: %s", document.id, error)
        return None
