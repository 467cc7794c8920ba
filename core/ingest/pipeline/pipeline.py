"""Runs one document through one stage: finished work is not repeated, failures are recorded with the document."""

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Lock

from core.disk import told_when_full
from core.domain.documents import Document, DocumentStatus, Stage
from core.errors import (
    AppError,
    CancelledError,
    DamagedError,
    NotFoundError,
    OutOfSpaceError,
    RetryableServiceError,
    ServiceError,
)
from core.ingest.pipeline.artefacts import WorkFolder
from core.ingest.pipeline.progress import AwaitingApproval, DocumentCancel, StageReport
from core.ingest.pipeline.slots import Slots
from core.ingest.pipeline.stages.job import Job, StageDeps
from core.ingest.pipeline.stages.order import STAGES

_LOG = logging.getLogger(__name__)


_NOT_ITS_OWN = (
    RetryableServiceError,
    OutOfSpaceError,
    DamagedError,
    CancelledError,
    NotFoundError,
    AwaitingApproval,
)
ATTEMPTS = 3
"""Process deaths within one stage of a document before the document is set aside."""
AT_WORK = 2
"""Documents processed at once on this machine; parsing one keeps a core busy."""


class _Never:
    def requested(self) -> bool:
        return False


_NEVER = _Never()


class _Stopped:
    def __init__(self, stop: Event) -> None:
        self._stop = stop

    def requested(self) -> bool:
        return self._stop.is_set()


class Pipeline:
    """StageRunner over the stages and their artefacts."""

    def __init__(self, deps: StageDeps, work: Path) -> None:
        """`work` is the folder of the artefacts, with one folder per document."""
        self.fault: OutOfSpaceError | DamagedError | None = None
        """A fault that affects every document; the process should end."""
        self._deps = deps
        self._work = work
        self._under_way: set[tuple[str, Stage]] = set()
        self._slots = Slots(AT_WORK)
        self._paused = ExitStack()
        """Holds the slots for good after a pause."""
        self._alone = Lock()
        """Held by a stage in which the process died before, so that such a document runs alone."""

    def run(self, document_id: str, stage: Stage) -> bool:
        try:
            document = self._deps.documents.get(document_id)
            return self._run(document, stage)
        except NotFoundError:
            WorkFolder(self._work, document_id).remove()
            return False
        except (CancelledError, AwaitingApproval):
            return False
        except (OutOfSpaceError, DamagedError) as error:
            self.fault = error
            raise

    def give_up(self, document_id: str, stage: Stage) -> None:
        try:
            name = self._deps.documents.get(document_id).name
            self._fail(document_id, stage, AppError("ingest.error.service_gone", name=name))
        except NotFoundError:
            WorkFolder(self._work, document_id).remove()

    @contextmanager
    def spare_slot(self) -> Iterator[None]:
        """A slot for background work; every stage has priority over it."""
        with self._slots.slot((1, datetime.max.replace(tzinfo=UTC), ""), _NEVER):
            yield

    def pause(self, stop: Event) -> bool:
        """Waits until no stage is running here and starts no further one; False if stop was set meanwhile."""
        cancel = _Stopped(stop)
        first = datetime.min.replace(tzinfo=UTC)
        with ExitStack() as held:
            try:
                for place in range(AT_WORK):
                    held.enter_context(self._slots.slot((-1, first, str(place)), cancel))
            except CancelledError:
                return False
            self._paused = held.pop_all()
        return True

    def leave(self) -> None:
        """Marks work in progress as not failed before an orderly exit."""
        for document_id, stage in sorted(self._under_way.copy()):
            WorkFolder(self._work, document_id).end(stage)

    def _run(self, document: Document, stage: Stage) -> bool:
        """Records failures of the document; raises all others."""
        work = WorkFolder(self._work, document.id)
        if stage is Stage.INDEX and document.status is DocumentStatus.READY and not work.has(Stage.PARSE):
            return True  # published; only the note that it was done got lost
        if stage is Stage.PARSE:
            work.claim(document.parser_choice)
        if work.has(stage):
            self._deps.records.record_stage(document.id, work.progress(stage))
            return True
        current = stage
        try:
            with told_when_full(self._work):
                for current in _missing(work, stage):
                    self._do(document, work, current)
        except _NOT_ITS_OWN:
            raise
        except AppError as error:
            _LOG.info("%s: %s", document.id, error)
            self._fail(document.id, current, error)
            return False
        except Exception as error:  # noqa: BLE001  # the per-document loop: one document's defect is its own
            _LOG.exception("%s failed at %s", document.id, current)
            self._fail(document.id, current, AppError("error.unexpected", kind=type(error).__name__))
            return False
        if stage is Stage.INDEX:
            work.remove()
        return True

    def _do(self, document: Document, work: WorkFolder, stage: Stage) -> None:
        with self._room(document, work, stage):
            if work.begun(stage) >= ATTEMPTS:
                work.end(stage)
                raise ServiceError("ingest.error.poison", name=document.name, attempts=ATTEMPTS)
            self._under_way.add((document.id, stage))
            work.begin(stage)
            try:
                self._execute(document, work, stage)
            finally:
                self._under_way.discard((document.id, stage))
                work.end(stage)

    @contextmanager
    def _room(self, document: Document, work: WorkFolder, stage: Stage) -> Iterator[None]:
        """A slot, exclusive after a death in this stage; no slot while a remote service does the work."""
        if self._deps.engines.waits_elsewhere(document, stage):
            yield
            return
        rank = (-list(STAGES).index(stage), document.added_at, document.id)
        with ExitStack() as held:
            if work.begun(stage):
                held.enter_context(self._alone)
            held.enter_context(self._slots.slot(rank, DocumentCancel(self._deps.documents, document.id)))
            yield

    def _execute(self, document: Document, work: WorkFolder, stage: Stage) -> None:
        cancel = DocumentCancel(self._deps.documents, document.id)
        if cancel.requested():
            raise CancelledError("error.cancelled")
        report = StageReport(self._deps.records, document.id, stage, cancel)
        progress = report.finish(STAGES[stage](self._deps, Job(document, work, report)))
        work.save_progress(progress)

    def _fail(self, document_id: str, stage: Stage, error: AppError) -> None:
        cancel = DocumentCancel(self._deps.documents, document_id)
        StageReport(self._deps.records, document_id, stage, cancel).fail(error.key)
        self._deps.records.fail(document_id, error.key, error.params)


def _missing(work: WorkFolder, stage: Stage) -> list[Stage]:
    """The stages up to this one whose result is missing; the last stage leaves none."""
    return [known for known in STAGES if list(STAGES).index(known) <= list(STAGES).index(stage) and not work.has(known)]
