"""Runs one document through one stage: finished work is not repeated, failures are recorded with the document."""

import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Event, Lock

from core.disk import told_when_full
from core.domain.documents import Document, DocumentStatus, Stage, StageProgress
from core.errors import (
    AppError,
    CancelledError,
    DamagedError,
    NotFoundError,
    OutOfSpaceError,
    RetryableServiceError,
    ServiceError,
)
from core.ingest.pipeline.artefacts import QUICK_BYTES, WorkFolder
from core.ingest.pipeline.progress import AwaitingApproval, Cancels, StageReport
from core.ingest.pipeline.slots import Slots
from core.ingest.pipeline.stages.job import Job, StageDeps
from core.ingest.pipeline.stages.order import STAGES
from core.ingest.reading.formats import TEXT, extension_of
from core.ports.metering import Cancel, Uncancelled

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
PARSED_ELSEWHERE = 16
"""Documents that a service parses at once."""
PUBLISHED = 32
"""Small documents published at once: what they write to the indexes is written together."""


@dataclass(frozen=True, slots=True)
class _Run:
    """A document on its way through some stages."""

    document: Document
    work: WorkFolder
    cancel: Cancel
    earlier: list[StageProgress]
    """Stages that are done and not yet recorded."""


class _Room(ExitStack):
    """What a document holds while it is worked on."""

    slots: Slots | None = None
    """Of which it has one that it may keep."""

    def enter(self, *held: AbstractContextManager[object]) -> None:
        for each in held:
            self.enter_context(each)

    def leave(self) -> None:
        self.slots = None
        self.close()


class _Stopped:
    def __init__(self, stop: Event) -> None:
        self._stop = stop

    def requested(self) -> bool:
        return self._stop.is_set()


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
        self._under_way: set[tuple[str, Stage]] = set()
        self._slots = Slots(AT_WORK)
        self._cancels = Cancels(deps.records, cancelling)
        self._elsewhere = Slots(PARSED_ELSEWHERE)
        self._published = Slots(PUBLISHED)
        self._paused = ExitStack()
        """Holds the slots for good after a pause."""
        self._alone = Lock()
        """Held by a stage in which the process died before, so that such a document runs alone."""

    def run(self, document_id: str, stage: Stage = Stage.INDEX) -> bool:
        try:
            document = self._deps.documents.get(document_id)
            return not document.cancelled and self._run(document, stage)
        except NotFoundError:
            self._folder(document_id).remove()
            return False
        except (CancelledError, AwaitingApproval):
            return False
        except (OutOfSpaceError, DamagedError) as error:
            self.fault = error
            raise

    def give_up(self, document_id: str) -> None:
        work = self._folder(document_id)
        try:
            name = self._deps.documents.get(document_id).name
            tried = [row.stage for row in self._deps.records.stages(document_id) if row.status == "running"]
            current = tried[-1] if tried else _missing(work, Stage.INDEX)[0]
            self._fail(document_id, current, AppError("ingest.error.service_gone", name=name))
        except NotFoundError:
            work.remove()

    @contextmanager
    def spare_slot(self) -> Iterator[None]:
        """A slot for background work; every stage has priority over it."""
        with self._slots.slot((1, datetime.max.replace(tzinfo=UTC), ""), Uncancelled()):
            yield

    def pause(self, stop: Event) -> bool:
        """Waits until no stage is running here and starts no further one; False if stop was set meanwhile."""
        cancel = _Stopped(stop)
        first = datetime.min.replace(tzinfo=UTC)
        with ExitStack() as held:
            try:
                for slots, number in ((self._slots, AT_WORK), (self._published, PUBLISHED)):
                    for place in range(number):
                        held.enter_context(slots.slot((-len(STAGES), first, str(place)), cancel))
            except CancelledError:
                return False
            self._paused = held.pop_all()
        return True

    def leave(self) -> None:
        """Marks work in progress as not failed before an orderly exit."""
        for document_id, stage in sorted(self._under_way.copy()):
            self._folder(document_id).end(stage)

    def _run(self, document: Document, stage: Stage) -> bool:
        """Records failures of the document; raises all others."""
        work = self._folder(document.id)
        work.drop_outdated()
        if stage is Stage.INDEX and document.status is DocumentStatus.READY and not work.has(Stage.PARSE):
            return True  # published; only the note that it was done got lost
        current = stage
        try:
            work.claim(document.parser_choice)
            with told_when_full(self._work), self._cancels.of(document.id) as cancel:
                run = _Run(document, work, cancel, _finished(work, stage))
                with _Room() as room:
                    for current in _missing(work, stage):
                        self._do(run, current, room)
                self._report(run, stage).flush()
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

    def _do(self, run: _Run, stage: Stage, room: _Room) -> None:
        self._enter(run, stage, room)
        if run.work.begun(stage) >= ATTEMPTS:
            run.work.end(stage)
            raise ServiceError("ingest.error.poison", name=run.document.name, attempts=ATTEMPTS)
        self._under_way.add((run.document.id, stage))
        run.work.begin(stage)
        try:
            self._execute(run, stage)
        finally:
            self._under_way.discard((run.document.id, stage))
            run.work.end(stage)

    def _enter(self, run: _Run, stage: Stage, room: _Room) -> None:
        """A slot, exclusive after a death in this stage; none of this machine while a remote service does the work.

        A quick document keeps its slot for the next stage, because handing it on takes as long as the stage.
        """
        slots, died = self._slots_of(run, stage), run.work.begun(stage) > 0
        if slots and slots is room.slots and run.work.is_quick and not died:
            return
        room.leave()
        if slots:
            rank = (-list(STAGES).index(stage), run.document.added_at, run.document.id)
            alone = self._alone if died and slots is not self._elsewhere else nullcontext()
            room.enter(alone, slots.slot(rank, run.cancel))
            room.slots = None if died else slots

    def _slots_of(self, run: _Run, stage: Stage) -> Slots | None:
        if self._deps.engines.waits_elsewhere(run.document, stage):
            return self._elsewhere if stage is Stage.PARSE else None
        return self._published if stage is Stage.INDEX and run.work.is_small else self._slots

    def _execute(self, run: _Run, stage: Stage) -> None:
        if run.cancel.requested():
            raise CancelledError("error.cancelled")
        report = self._report(run, stage)
        try:
            progress = report.finish(STAGES[stage](self._deps, Job(run.document, run.work, report)))
        except RetryableServiceError:
            report.wait()
            raise
        run.work.save_progress(progress)

    def _folder(self, document_id: str) -> WorkFolder:
        return WorkFolder(self._work, document_id, self._deps.shared)

    def _report(self, run: _Run, stage: Stage) -> StageReport:
        is_short = run.work.is_quick or _is_short_text(run.document)
        is_brief = is_short and not self._deps.engines.waits_elsewhere(run.document, stage)
        return StageReport(self._deps.records, run.document.id, stage, run.cancel, run.earlier, is_brief=is_brief)

    def _fail(self, document_id: str, stage: Stage, error: AppError) -> None:
        StageReport(self._deps.records, document_id, stage, Uncancelled()).fail(error.key)
        self._deps.records.fail(document_id, error.key, error.params)


def _is_short_text(document: Document) -> bool:
    """Other small files may take long to read."""
    return document.size <= QUICK_BYTES and extension_of(document.name) in TEXT.extensions


def _finished(work: WorkFolder, stage: Stage) -> list[StageProgress]:
    """What an earlier attempt has done: the note of it may be lost, or cleared for a retry."""
    return [work.progress(known) for known in _up_to(stage) if work.has(known)]


def _missing(work: WorkFolder, stage: Stage) -> list[Stage]:
    """The stages up to this one whose result is missing; the last stage leaves none."""
    return [known for known in _up_to(stage) if not work.has(known)]


def _up_to(stage: Stage) -> list[Stage]:
    order = list(STAGES)
    return order[: order.index(stage) + 1]
