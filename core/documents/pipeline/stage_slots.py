"""Which documents may be worked on at once: on this machine, by services, while they are published, after a death."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Event

from core.documents.model import Document, Stage
from core.documents.pipeline.document_run import DocumentRun
from core.documents.pipeline.slots import Rank, Slots
from core.documents.pipeline.stages.order import STAGES
from core.models.meter import Cancel, Uncancelled
from core.platform.errors import CancelledError

AT_WORK = 2
"""Documents processed at once on this machine; parsing one keeps a core busy."""
PARSED_ELSEWHERE = 16
"""Documents that a service parses at once."""
PUBLISHED = 32
"""Small documents published at once: what they write to the indexes is written together."""


@dataclass(frozen=True, slots=True)
class _Unwanted:
    """Cancel of a group, which is requested when none of its documents is wanted any more."""

    runs: Sequence[DocumentRun]

    def requested(self) -> bool:
        return all(run.cancel.requested() for run in self.runs)


class Room(ExitStack):
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


class StageSlots:
    def __init__(self, waits_elsewhere: Callable[[Document, Stage], bool]) -> None:
        """waits_elsewhere: whether a service is waited for."""
        self._waits_elsewhere = waits_elsewhere
        self._slots = Slots(AT_WORK)
        self._elsewhere = Slots(PARSED_ELSEWHERE)
        self._published = Slots(PUBLISHED)
        self._paused = ExitStack()
        """Holds the slots for good after a pause."""

    @contextmanager
    def spare(self) -> Iterator[None]:
        """A slot for background work; every stage has priority over it."""
        with self._slots.slot((1, datetime.max.replace(tzinfo=UTC), ""), Uncancelled()):
            yield

    def pause(self, stop: Event) -> bool:
        """Waits until no stage is running here and starts no further one; False if stop was set meanwhile."""
        cancel = _Stopped(stop)
        first = datetime.min.replace(tzinfo=UTC)
        with ExitStack() as held:
            try:
                for each in self._all((-len(STAGES), first, ""), cancel):
                    held.enter_context(each)
            except CancelledError:
                return False
            self._paused = held.pop_all()
        return True

    def enter(self, runs: Sequence[DocumentRun], stage: Stage, room: Room) -> None:
        """A slot, or all for a document that goes alone; none of this machine while a remote service does the work.

        Quick documents keep their slot for the next stage, because handing it on takes as long as the stage.
        """
        first, cancel = runs[0], _Unwanted(runs)
        slots = self._slots_of(first, stage)
        rank = (-list(STAGES).index(stage), first.document.added_at, first.document.id)
        if slots is not self._elsewhere and any(run.goes_alone(stage) for run in runs):
            room.leave()
            room.enter(*self._all(rank, cancel))
        elif not (slots and slots is room.slots and all(run.work.is_quick for run in runs)):
            room.leave()
            if slots:
                room.enter(slots.slot(rank, cancel))
            room.slots = slots

    def _all(self, rank: Rank, cancel: Cancel) -> tuple[AbstractContextManager[None], ...]:
        """Everything on this machine; always in this order, so that two do not wait for each other."""
        return self._slots.slot(rank, cancel, AT_WORK), self._published.slot(rank, cancel, PUBLISHED)

    def _slots_of(self, run: DocumentRun, stage: Stage) -> Slots | None:
        if self._waits_elsewhere(run.document, stage):
            return self._elsewhere if stage is Stage.PARSE else None
        return self._published if stage is Stage.INDEX and run.work.is_small else self._slots
