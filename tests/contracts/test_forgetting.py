"""What a person deleted does not come back by itself, whatever happens afterwards."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from sqlalchemy import Engine

from core.documents.model import Document
from core.documents.ports.library import Library
from core.documents.store.library import sql_library
from core.memory.contradictions import StatementMeanings
from core.memory.files import as_json
from core.memory.keeping import keep
from core.memory.model import MemoryKind, MemoryStatus, Scope
from core.memory.store.memories import SqlMemoryStore
from core.runs.model import Run, RunRequest, RunStatus
from core.runs.run_lists import RunFilter
from core.runs.store.run_lists import SqlRunLists
from core.runs.store.run_log import SqlRunLog
from core.runs.store.threads import SqlThreads
from core.search.model import Citation
from tests.contracts.test_memory_store import MADE, AxesEmbedder, memory
from tests.store.databases import TickingClock, clock, engine, migrated_file

__all__ = ["clock", "engine", "migrated_file"]


@dataclass
class House:
    """A chat with an answer from a document: a statement, a proposal and a conclusion come from it."""

    engine: Engine
    store: SqlMemoryStore
    threads: SqlThreads
    library: Library
    document: Document
    run: Run

    def remembered(self) -> set[str]:
        """Texts that any way of reading finds, in this process and in another one."""
        stores = (self.store, SqlMemoryStore(self.engine, AxesEmbedder()))
        return set().union(*map(_read, stores))


def _read(store: SqlMemoryStore) -> set[str]:
    scopes = (Scope(""), Scope("here", "t1"))
    known = [*store.find(), *(one for scope in scopes for one in store.active(scope)), *store.superseded_by("said")]
    known += [one.memory for scope in (None, *scopes) for one in store.search("cat dog fish", scope)]
    known += [one for one, _ in store.near("cat", 9)]
    known += [one for first, second, _ in store.alike(2.0, 9) for one in (first, second)]
    return {one.text for one in known}


@pytest.fixture
def house(engine: Engine, clock: TickingClock) -> House:
    threads, log, library = SqlThreads(engine, clock), SqlRunLog(engine, clock), sql_library(engine, lambda: MADE)
    store = SqlMemoryStore(engine, AxesEmbedder(), clock)
    base, thread = library.bases.create("B"), threads.create("T", "", "")
    document = library.documents.add(base.id, "d.pdf", "f" * 64, 3, "application/pdf")[0]
    run = log.start(RunRequest("q", ""), thread.id, "e")
    cited = Citation(1, "c", document.id, "d.pdf", 0, (), "fish", 0.9)
    log.finish(done := replace(run, status=RunStatus.DONE, answer="fish", citations=(cited,)))
    of_run = {"thread_id": thread.id, "run_id": run.id}
    store.save(memory("cat", "said", **of_run))
    store.save(memory("cat before", "older", status=MemoryStatus.SUPERSEDED, superseded_by="said", **of_run))
    store.save(memory("dog", "offered", status=MemoryStatus.PROPOSED, **of_run))
    store.save(memory("fish", "concluded", kind=MemoryKind.CONCLUSION, **of_run))
    made = House(engine, store, threads, library, document, done)
    assert made.remembered() == {"cat", "cat before", "dog", "fish"}
    return made


def another_encoder(house: House) -> None:
    SqlMemoryStore(house.engine, AxesEmbedder("axes-2", ("dog", "cat", "fish"))).search("cat")


def late_use(house: House) -> None:
    house.store.touch(["said", "older", "offered", "concluded"], house.run.id)


def chat_back(house: House) -> None:
    house.threads.put_away(house.run.thread_id)
    house.threads.restore(house.run.thread_id)


def document_back(house: House) -> None:
    house.library.documents.delete(house.document.id)
    house.library.publications.restore(house.document, None)


def file_again(house: House) -> None:
    house.library.documents.delete(house.document.id)
    house.library.documents.add(house.document.base_id, "d.pdf", "f" * 64, 3, "application/pdf")


def new_reading(house: House) -> None:
    """The same is concluded again, in another chat."""
    again = memory("fish", "concluded", kind=MemoryKind.CONCLUSION, status=MemoryStatus.PROPOSED, thread_id="t2")
    keep(house.store, again, StatementMeanings())


def fork(house: House) -> None:
    house.threads.fork(house.run.thread_id, house.run.id, "Fork")


def runs_removed(house: House) -> None:
    SqlRunLists(house.engine).remove(RunFilter())


AFTERWARDS = (another_encoder, late_use, chat_back, document_back, file_again, new_reading, fork, runs_removed)


@pytest.mark.parametrize("afterwards", AFTERWARDS)
def test_a_deleted_memory_does_not_come_back(house: House, afterwards: Callable[[House], None]) -> None:
    for name in ("said", "offered", "concluded"):
        house.store.delete(name)
    afterwards(house)
    assert house.remembered() == set()
    assert as_json(house.store.find(), {}) == "[]"


@pytest.mark.parametrize("afterwards", [another_encoder, late_use, document_back, runs_removed])
def test_what_a_deleted_chat_led_to_does_not_come_back(house: House, afterwards: Callable[[House], None]) -> None:
    house.threads.put_away(house.run.thread_id)
    afterwards(house)
    assert house.remembered() == {"cat", "cat before"}


@pytest.mark.parametrize("afterwards", [another_encoder, late_use, chat_back, file_again, fork, runs_removed])
def test_what_rests_on_a_deleted_document_does_not_come_back(house: House, afterwards: Callable[[House], None]) -> None:
    house.library.documents.delete(house.document.id)
    house.library = sql_library(house.engine)
    afterwards(house)
    assert "fish" not in house.remembered()
