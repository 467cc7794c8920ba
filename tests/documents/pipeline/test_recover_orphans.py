"""Who goes on with what dead workers had begun, and whose work that is."""

from collections.abc import Collection
from pathlib import Path

import pytest

from core.documents.pipeline.dispatch import Dispatcher
from core.documents.pipeline.spool import SpoolQueue
from core.documents.pipeline.worker import OrphanRecovery
from tests.fakes.ingestion import FakeIngestEngine, open_library


class Lease:
    """Of the worker "me", who leads unless said otherwise."""

    id = "me"
    is_lost = False

    def __init__(self) -> None:
        self.silent: list[str] = []
        self.unknown: set[str] = set()
        self.is_oldest = True

    def is_alive(self, owner_id: str) -> bool:
        return not self.has_died(owner_id)

    def has_died(self, owner_id: str) -> bool:
        return owner_id in {*self.silent, *self.unknown}

    def leads(self) -> bool:
        return self.is_oldest

    def dead(self) -> list[str]:
        return [*self.silent]

    def forget(self, owner_ids: Collection[str]) -> None:
        self.silent = [each for each in self.silent if each not in owner_ids]
        self.unknown |= {*owner_ids}

    def tidy(self) -> None: ...

    def close(self) -> None: ...


@pytest.fixture
def engine() -> FakeIngestEngine:
    return FakeIngestEngine()


@pytest.fixture
def lease() -> Lease:
    return Lease()


@pytest.fixture
def take_over(
    tmp_path: Path, engine: FakeIngestEngine, lease: Lease, monkeypatch: pytest.MonkeyPatch
) -> OrphanRecovery:
    monkeypatch.setattr("core.documents.pipeline.worker._LOOK_SECONDS", 0.0)
    library = open_library(tmp_path)
    queue = SpoolQueue(tmp_path / "spool", library.ingest_records)
    stores = (library.bases, library.documents, library.ingest_records)
    return OrphanRecovery(lease, engine, Dispatcher(*stores, queue, engine, tmp_path / "work"))


def test_the_work_of_the_dead_is_taken_over_once(
    take_over: OrphanRecovery, engine: FakeIngestEngine, lease: Lease
) -> None:
    lease.silent, lease.is_oldest = ["dead"], False
    take_over.turn()
    assert (engine.taken_over, lease.silent) == (["dead"], [])
    engine.taken_over = []
    take_over.turn()
    assert engine.taken_over == []


def test_what_a_worker_took_after_it_was_forgotten_is_taken_over_too(
    take_over: OrphanRecovery, engine: FakeIngestEngine, lease: Lease
) -> None:
    lease.unknown, engine.at_work = {"forgotten"}, ["alive", "forgotten", "me"]
    lease.is_oldest = False
    take_over.turn()
    assert engine.taken_over == [], "one of them looks for such work"
    lease.is_oldest = True
    take_over.turn()
    assert engine.taken_over == ["forgotten"]
