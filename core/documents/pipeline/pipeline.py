"""Runs documents through the stages: finished work is not repeated, failures are recorded with their documents."""

import logging
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from functools import partial
from pathlib import Path
from threading import Lock

from core.documents.model import ACTIVE, Document, DocumentStatus, Stage, StageProgress
from core.documents.pipeline.artefacts import QUICK_BYTES, WorkFolder
from core.documents.pipeline.progress import AwaitingApproval, Cancels, StageReport
from core.documents.pipeline.stage_notes import StageNotes
from core.documents.pipeline.stage_slots import ATTEMPTS, DocumentRun, Room, StageSlots
from core.documents.pipeline.stages.chunk import assemble_text, cut_chunks
from core.documents.pipeline.stages.extract import extract_entities, link_entities
from core.documents.pipeline.stages.index import index_and_publish
from core.documents.pipeline.stages.job import Job, Outcome, StageDeps, nobody_waits, one_by_one
from core.documents.pipeline.stages.parse import parse_files
from core.documents.ports.extraction import JointExtractor
from core.documents.reading.formats import MARKDOWN, TEXT, extension_of
from core.models.meter import Uncancelled, stop_if_requested
from core.platform.errors import (
    AppError,
    CancelledError,
    DamagedError,
    NotFoundError,
    OutOfSpaceError,
    ReadingEndedError,
    RetryableServiceError,
    ServiceError,
    attempted,
)
from core.platform.files.disk import full_disk_errors

STAGES: dict[Stage, Callable[[StageDeps, Sequence[Job]], list[Outcome]]] = {
    Stage.PARSE: parse_files,
    Stage.ASSEMBLE: one_by_one(assemble_text),
    Stage.CHUNK: one_by_one(cut_chunks),
    Stage.EXTRACT: extract_entities,
    Stage.LINK: one_by_one(link_entities),
    Stage.INDEX: index_and_publish,
}
"""In the order they run. Each takes one document or several that go along, and gives the outcome of every one.

What it raises may be the fault of any of them.
"""


_LOG = logging.getLogger(__name__)
_TEXTS = (*TEXT.extensions, *MARKDOWN.extensions)


class Pipeline:
    """StageRunner over the stages and their artefacts."""

    def __init__(
        self, deps: StageDeps, work: Path, cancelling: Callable[[], frozenset[str]] = lambda: frozenset()
    ) -> None:
        """`work` is the folder of the artefacts, with one folder per document; cancelling: see Cancels."""
        self.fault: OutOfSpaceError | DamagedError | None = None
        """A fault that affects every document; the process should end."""
        self._deps = deps
        self._work = work
        self._notes = StageNotes(work)
        self._suspects: set[str] = set()
        """Documents whose reading process died; they are read alone at the next attempt."""
        self._claimed: set[str] = set()
        """Documents that a thread works on."""
        self._claiming = Lock()
        self._cancels = Cancels(deps.records, cancelling)
        self.slots = StageSlots(deps.engines.waits_elsewhere)

    def run(self, document_id: str, stage: Stage = Stage.INDEX) -> bool:
        for run in self._run([document_id], stage):
            if run.later:
                raise run.later
            return not run.has_ended
        return False

    def run_together(self, document_ids: Sequence[str]) -> dict[str, RetryableServiceError]:
        along = [each.id for each in self._deps.documents.several(document_ids) if self.goes_along(each)]
        parts = [along, *([each] for each in document_ids if each not in along)]
        runs = [run for part in parts if part for run in self._run(part, Stage.INDEX)]
        return {run.document.id: run.later for run in runs if run.later}

    def goes_along(self, document: Document) -> bool:
        """Whether it may be read together with others of its base: a short text on which nothing else depends."""
        is_new = document.status in ACTIVE and not document.replaces and not document.parser_choice
        return (
            is_new
            and document.id not in self._suspects
            and _is_short_text(document)
            and not self._deps.engines.waits_elsewhere(document, Stage.PARSE)
        )

    def give_up(self, document_id: str, error: RetryableServiceError) -> None:
        work = self._folder(document_id)
        try:
            name = self._deps.documents.get(document_id).name
            tried = [row.stage for row in self._deps.records.stages(document_id) if row.status == "running"]
            missing = [known for known in _up_to(Stage.INDEX) if not work.has(known)]
            current = tried[-1] if tried else missing[0]
            is_named = isinstance(error, ReadingEndedError)
            self._fail(document_id, current, error if is_named else AppError("ingest.error.service_gone", name=name))
        except NotFoundError:
            work.remove()

    def _run(self, document_ids: Sequence[str], stage: Stage) -> list[DocumentRun]:
        """Runs documents together. Failures are recorded with their documents; raises only what affects all of them."""
        try:
            with full_disk_errors(self._work), self._claim(document_ids) as claimed, ExitStack() as held:
                arrived = held.enter_context(self._announced(claimed))
                runs = self._opened(claimed, stage, held)
                for run in runs:
                    run.arrived = arrived
                left = [run for run in runs if not self._is_published(run, stage)]
                with Room() as room:
                    for current in _up_to(stage):
                        self._do_missing([run for run in left if not run.has_ended], current, room)
                for run in left:
                    self._finish(run, stage)
                return runs
        except (OutOfSpaceError, DamagedError) as error:
            self.fault = error
            raise

    @contextmanager
    def _claim(self, document_ids: Sequence[str]) -> Iterator[list[str]]:
        """Documents that no other thread works on; a thread that does reports the end, and they are checked again."""
        with self._claiming:
            fresh = [each for each in document_ids if each not in self._claimed]
            self._claimed.update(fresh)
        try:
            yield fresh
        finally:
            with self._claiming:
                self._claimed.difference_update(fresh)

    def _announced(self, document_ids: Sequence[str]) -> AbstractContextManager[Callable[[], None]]:
        """Announces several short texts to an extractor that shares calls, so that it waits for them."""
        extractor = attempted(self._deps.engines.extractor) if len(document_ids) > 1 else None
        return extractor.expecting() if isinstance(extractor, JointExtractor) else nullcontext(nobody_waits)

    def _opened(self, document_ids: Collection[str], stage: Stage, held: ExitStack) -> list[DocumentRun]:
        """Runs of the documents that are neither deleted nor cancelled."""
        known = self._deps.documents.several(document_ids)
        for gone in {*document_ids} - {each.id for each in known}:
            self._folder(gone).remove()
        runs: list[DocumentRun] = []
        for document in sorted((each for each in known if not each.cancelled), key=lambda each: each.added_at):
            cancel = held.enter_context(self._cancels.of(document.id))
            run = DocumentRun(document, self._folder(document.id, is_light=len(known) > 1), cancel)
            run.is_suspect = document.id in self._suspects
            self._suspects.discard(document.id)
            self._attempt(run, stage, partial(self._prepare, run, stage))
            runs.append(run)
        return runs

    def _prepare(self, run: DocumentRun, stage: Stage) -> None:
        run.work.drop_outdated()
        if not self._is_published(run, stage):
            run.work.claim(run.document.parser_choice)
            run.earlier += _finished(run.work, stage)

    def _is_published(self, run: DocumentRun, stage: Stage) -> bool:
        """Whether it is done and only the record of that was lost. A document to be read again has no stages."""
        if stage is not Stage.INDEX or run.document.status is not DocumentStatus.READY or run.work.has(Stage.PARSE):
            return False
        done = self._deps.records.stages(run.document.id)
        return any(row.stage is Stage.INDEX and row.status == "done" for row in done)

    def _finish(self, run: DocumentRun, stage: Stage) -> None:
        if not run.has_ended:
            self._attempt(run, stage, self._report(run, stage).flush)
        if not run.has_ended and stage is Stage.INDEX:
            run.work.remove()

    def _attempt(self, run: DocumentRun, stage: Stage, do: Callable[[], object]) -> None:
        """Runs a step; its failure ends this document's run only."""
        if isinstance(error := attempted(do), Exception):
            self._end(run, stage, error)

    def _end(self, run: DocumentRun, stage: Stage, error: Exception) -> None:
        """Raises what affects every document."""
        if isinstance(error, OutOfSpaceError | DamagedError):
            raise error
        run.has_ended = True
        if isinstance(error, RetryableServiceError):
            run.later = error
            if isinstance(error, ReadingEndedError):
                self._suspects.add(run.document.id)
        elif isinstance(error, NotFoundError | CancelledError):
            self._drop_deleted(run)
        elif isinstance(error, AwaitingApproval):
            return
        elif isinstance(error, AppError):
            _LOG.info("%s: %s", run.document.id, error)
            self._fail(run.document.id, stage, error)
        else:
            _LOG.error("%s failed at %s", run.document.id, stage, exc_info=error)
            self._fail(run.document.id, stage, AppError("error.unexpected", kind=type(error).__name__))

    def _drop_deleted(self, run: DocumentRun) -> None:
        """Removes the work of a deleted document; a cancelled one may continue later."""
        if not self._deps.documents.existing([run.document.id]):
            run.work.remove()

    def _do_missing(self, runs: Sequence[DocumentRun], stage: Stage, room: Room) -> None:
        """A document in whose stage the process died is processed alone."""
        missing = [run for run in runs if not run.work.has(stage)]
        died = [run for run in missing if run.work.deaths(stage)]
        if together := [run for run in missing if run not in died]:
            self._do(together, stage, room)
        for run in died:
            self._do([run], stage, room)

    def _do(self, runs: Sequence[DocumentRun], stage: Stage, room: Room) -> None:
        try:
            self.slots.enter(runs, stage, room)
        except AppError as error:
            for run in runs:
                self._end(run, stage, error)
            return
        for run in runs:
            self._attempt(run, stage, partial(_check, run, stage))
        ready = [run for run in runs if not run.has_ended]
        if ready:
            with self._notes.under_way(stage, [run.document.id for run in ready]):
                self._execute(ready, stage)
        for run in ready:
            run.work.forget_interruptions(stage)

    def _execute(self, runs: Sequence[DocumentRun], stage: Stage) -> None:
        jobs = [
            Job(run.document, run.work, self._report(run, stage, is_along=len(runs) > 1), run.arrived) for run in runs
        ]
        for run, job, outcome in zip(runs, jobs, self._outcomes(jobs, stage), strict=True):
            if isinstance(outcome, RetryableServiceError):
                job.report.wait()
            if isinstance(outcome, Exception):
                self._end(run, stage, outcome)
            else:
                run.work.save_progress(job.report.finish(outcome))

    def _outcomes(self, jobs: Sequence[Job], stage: Stage) -> list[Outcome]:
        """Outcome of each job. What fails for several is repeated with each, so that none gets another's failure."""
        made = attempted(lambda: STAGES[stage](self._deps, jobs))
        if not isinstance(made, Exception):
            return made
        if len(jobs) == 1 or isinstance(made, RetryableServiceError | OutOfSpaceError | DamagedError):
            return [made for _ in jobs]
        return [outcome for job in jobs for outcome in self._outcomes([job], stage)]

    def _folder(self, document_id: str, *, is_light: bool = False) -> WorkFolder:
        return WorkFolder(self._work, document_id, self._deps.shared, is_light=is_light)

    def _report(self, run: DocumentRun, stage: Stage, *, is_along: bool = False) -> StageReport:
        is_short = run.work.is_quick or _is_short_text(run.document)
        is_brief = is_along or (is_short and not self._deps.engines.waits_elsewhere(run.document, stage))
        return StageReport(self._deps.records, run.document.id, stage, run.cancel, run.earlier, is_brief=is_brief)

    def _fail(self, document_id: str, stage: Stage, error: AppError) -> None:
        StageReport(self._deps.records, document_id, stage, Uncancelled()).fail(error.key)
        self._deps.records.fail(document_id, error.key, error.params)


def _check(run: DocumentRun, stage: Stage) -> None:
    """Raises AppError for a document that is not to be begun."""
    if run.work.deaths(stage) >= ATTEMPTS:
        run.work.forget_interruptions(stage)
        raise ServiceError("ingest.error.poison", name=run.document.name, attempts=ATTEMPTS)
    stop_if_requested(run.cancel)


def _is_short_text(document: Document) -> bool:
    """Whether it is a short plain text; other small files may take long to read."""
    return document.size <= QUICK_BYTES and extension_of(document.name) in _TEXTS


def _finished(work: WorkFolder, stage: Stage) -> list[StageProgress]:
    """Stages that an earlier attempt finished; their record may be lost, or cleared for a retry."""
    return [work.progress(known) for known in _up_to(stage) if work.has(known)]


def _up_to(stage: Stage) -> list[Stage]:
    return list(Stage)[: list(Stage).index(stage) + 1]
