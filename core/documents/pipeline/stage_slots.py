"""Limits of concurrent work on documents: on this machine, by services, while they are published, after a death."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from threading import Event, Lock

from core.documents.model import Document, Stage, StageProgress
from core.documents.pipeline.artefacts import WorkFolder
from core.documents.pipeline.stages.job import nobody_waits
from core.models.meter import Cancel, CancelWhen, Uncancelled, stop_if_requested
from core.platform.errors import CancelledError, RetryableServiceError

ATTEMPTS = 3
"""Deaths of the ingestion process alone in one stage of a document before the document is set aside."""
Rank = tuple[int, datetime, str]
"""Smaller ranks go first."""
_LISTEN_SECONDS = 0.8
AT_WORK = 2
"""Documents processed at once on this machine; parsing one keeps a core busy."""
PARSED_ELSEWHERE = 16
"""Documents that a service parses at once."""
PUBLISHED = 32
"""Small documents published at once: what they write to the indexes is written together."""


@dataclass(eq=False, slots=True)
class DocumentRun:
    """A document on its way through some stages, alone or with others."""

    document: Document
    work: WorkFolder
    cancel: Cancel
    earlier: list[StageProgress] = field(default_factory=list)
    """Stages that are done and not yet recorded."""
    has_ended: bool = False
    """Whether it ended early: it failed, was cancelled or deleted, or waits for a person or a service."""
    later: RetryableServiceError | None = None
    """Why it has to be tried again."""
    is_suspect: bool = False
    """Whether the process that read it ended at the attempt before."""
    arrived: Callable[[], None] = nobody_waits

    def goes_alone(self, stage: Stage) -> bool:
        """Whether nothing else may run at the same time, so that another death is its fault."""
        return self.work.deaths(stage) >= ATTEMPTS - 1 or (self.is_suspect and stage is Stage.PARSE)


@dataclass(eq=False, slots=True)
class _Waiter:
    rank: Rank
    number: int
    """Slots to be held at once."""
    turn: Lock = field(default_factory=Lock)
    """Held until they are given."""


class Slots:
    """Slots that documents closer to completion get first. Thread-safe; only the next one is woken, as many wait."""

    def __init__(self, number: int) -> None:
        self._free = number
        self._waiting: list[_Waiter] = []
        self._lock = Lock()

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @contextmanager
    def slot(self, rank: Rank, cancel: Cancel, number: int = 1) -> Iterator[None]:
        """Holds `number` slots at once. Raises CancelledError while waiting."""
        self._enter(_Waiter(rank, number), cancel)
        try:
            yield
        finally:
            with self._lock:
                self._free += number
                self._pass_on()

    def _enter(self, own: _Waiter, cancel: Cancel) -> None:
        own.turn.acquire()
        with self._lock:
            self._waiting.append(own)
            self._pass_on()
        has_turn = False
        try:
            while not (has_turn := own.turn.acquire(timeout=_LISTEN_SECONDS)):
                stop_if_requested(cancel)
        finally:  # also where the database, which is asked, is away
            if not has_turn:
                self._give_up(own)

    def _give_up(self, own: _Waiter) -> None:
        """Slots that were given in the same moment are passed on, and so are those that it kept others from."""
        with self._lock:
            if own in self._waiting:
                self._waiting.remove(own)
            else:
                self._free += own.number
            self._pass_on()

    def _pass_on(self) -> None:
        while self._waiting:
            first = min(self._waiting, key=lambda waiting: waiting.rank)
            if first.number > self._free:
                return
            self._waiting.remove(first)
            self._free -= first.number
            first.turn.release()


class Room(ExitStack):
    """Slots that a document holds while it is worked on."""

    slots: Slots | None = None
    """The slots of which it has one that it may keep."""

    def enter(self, *held: AbstractContextManager[object]) -> None:
        for each in held:
            self.enter_context(each)

    def leave(self) -> None:
        self.slots = None
        self.close()


class StageSlots:
    def __init__(self, waits_elsewhere: Callable[[Document, Stage], bool]) -> None:
        """waits_elsewhere: whether a service is waited for."""
        self._waits_elsewhere = waits_elsewhere
        self._slots = Slots(AT_WORK)
        self._elsewhere = Slots(PARSED_ELSEWHERE)
        self._published = Slots(PUBLISHED)
        self._paused = ExitStack()
        """Holds all slots after a pause."""

    @contextmanager
    def spare(self) -> Iterator[None]:
        """A slot for background work; every stage has priority over it."""
        with self._slots.slot((1, datetime.max.replace(tzinfo=UTC), ""), Uncancelled()):
            yield

    def pause(self, stop: Event) -> bool:
        """Waits until no stage is running here and starts no further one; False if stop was set meanwhile."""
        cancel = CancelWhen(stop.is_set)
        first = datetime.min.replace(tzinfo=UTC)
        with ExitStack() as held:
            try:
                for each in self._all((-len(Stage), first, ""), cancel):
                    held.enter_context(each)
            except CancelledError:
                return False
            self._paused = held.pop_all()
        return True

    def enter(self, runs: Sequence[DocumentRun], stage: Stage, room: Room) -> None:
        """A slot, or all for a document that goes alone; none of this machine while a remote service does the work.

        Quick documents keep their slot for the next stage, because handing it on takes as long as the stage.
        """
        first, cancel = runs[0], CancelWhen(lambda: all(run.cancel.requested() for run in runs))
        slots = self._slots_of(first, stage)
        rank = (-list(Stage).index(stage), first.document.added_at, first.document.id)
        if slots is not self._elsewhere and any(run.goes_alone(stage) for run in runs):
            room.leave()
            room.enter(*self._all(rank, cancel))
        elif not (slots and slots is room.slots and all(run.work.is_quick for run in runs)):
            room.leave()
            if slots:
                room.enter(slots.slot(rank, cancel))
            room.slots = slots

    def _all(self, rank: Rank, cancel: Cancel) -> tuple[AbstractContextManager[None], ...]:
        """All slots of this machine, always in this order, so that two callers do not wait for each other."""
        return self._slots.slot(rank, cancel, AT_WORK), self._published.slot(rank, cancel, PUBLISHED)

    def _slots_of(self, run: DocumentRun, stage: Stage) -> Slots | None:
        if self._waits_elsewhere(run.document, stage):
            return self._elsewhere if stage is Stage.PARSE else None
        return self._published if stage is Stage.INDEX and run.work.is_small else self._slots
