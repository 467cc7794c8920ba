"""Room on this machine: so much at a time, the nearest to the end first, and none taken by what waits elsewhere."""

import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.documents.model import Document, Stage
from core.documents.pipeline.artefacts import WorkFolder
from core.documents.pipeline.pipeline import Pipeline
from core.documents.pipeline.stage_slots import AT_WORK, ATTEMPTS, DocumentRun, Rank, Room, Slots, StageSlots
from core.platform.errors import CancelledError, RetryableServiceError
from tests.fakes.ingestion import StoredDeps, tools_of
from tests.fakes.parsing import Always, FakeParser, Never

NOW = datetime(2026, 11, 21, tzinfo=UTC)
LIMIT_SECONDS = 60.0


class Crowd:
    """Threads that wait for a slot one after the other; each notes its rank when it has got one."""

    def __init__(self, slots: Slots) -> None:
        self._slots = slots
        self._threads: list[threading.Thread] = []
        self.came: list[Rank] = []

    def waits(self, *ranks: Rank) -> None:
        for rank in ranks:
            thread = threading.Thread(target=self._pass, args=(rank,))
            thread.start()
            self._threads.append(thread)
        while self._slots.waiting < len(ranks):
            threading.Event().wait(0.001)

    def end(self) -> None:
        for thread in self._threads:
            thread.join(LIMIT_SECONDS)

    def _pass(self, rank: Rank) -> None:
        with self._slots.slot(rank, Never()):
            self.came.append(rank)


def test_who_is_nearer_to_the_end_goes_first_then_who_came_first() -> None:
    slots = Slots(1)
    crowd = Crowd(slots)
    late, first, other = (-4, NOW, "b"), (0, NOW, "a"), (0, NOW, "c")
    with slots.slot((0, NOW, "x"), Never()):
        crowd.waits(other, first, late)
        assert crowd.came == []
    crowd.end()
    assert crowd.came == [late, first, other]


def test_who_cannot_ask_whether_to_stop_takes_no_slot_along() -> None:
    class DatabaseAway:
        def requested(self) -> bool:
            raise RetryableServiceError("storage.busy")

    slots = Slots(1)
    with (
        slots.slot((0, NOW, "x"), Never()),
        pytest.raises(RetryableServiceError),
        slots.slot((0, NOW, "a"), DatabaseAway()),
    ):
        raise AssertionError("there was no room")
    assert slots.waiting == 0
    with slots.slot((0, NOW, "b"), Always()):
        pass


def test_a_stop_is_heard_while_it_waits_and_leaves_no_gap() -> None:
    slots = Slots(1)
    with slots.slot((0, NOW, "x"), Never()), pytest.raises(CancelledError), slots.slot((0, NOW, "a"), Always()):
        raise AssertionError("there was no room")
    with slots.slot((0, NOW, "b"), Never()):
        pass


def test_who_wants_all_waits_until_all_are_free_and_keeps_who_comes_later_out() -> None:
    slots = Slots(2)
    crowd = Crowd(slots)
    with slots.slot((0, NOW, "x"), Never()):
        alone = threading.Event()
        ended = threading.Event()

        def go_alone() -> None:
            with slots.slot((0, NOW, "a"), Never(), number=2):
                alone.set()
                ended.wait(LIMIT_SECONDS)

        thread = threading.Thread(target=go_alone)
        thread.start()
        while not slots.waiting:
            threading.Event().wait(0.001)
        crowd.waits((0, NOW, "b"))
        while slots.waiting < 2 and not crowd.came:
            threading.Event().wait(0.001)
        assert not alone.is_set()
    assert alone.wait(LIMIT_SECONDS)
    assert crowd.came == []
    ended.set()
    crowd.end()
    thread.join(LIMIT_SECONDS)
    assert crowd.came == [(0, NOW, "b")]


def documents(tools: StoredDeps, names: Sequence[str]) -> list[Document]:
    base = tools.library.bases.create("Base")
    stored = [tools.files.save(name.encode(), name) for name in names]
    return [
        tools.library.documents.add(base.id, name, file.sha256, file.size, "text/plain")[0]
        for name, file in zip(names, stored, strict=True)
    ]


def test_what_waits_for_a_service_elsewhere_takes_no_room(tmp_path: Path) -> None:
    """Twice as many as there is room for parse at the same time, and one that is read here still gets through."""
    many = AT_WORK * 2
    together, ends = threading.Barrier(many + 1), threading.Event()

    def wait() -> None:
        together.wait(LIMIT_SECONDS)
        ends.wait(LIMIT_SECONDS)

    here = FakeParser()
    tools = tools_of(tmp_path)
    tools = tools.with_engines(
        choose=lambda document: here if document.name == "here" else FakeParser(wait),
        elsewhere=lambda document, stage: stage is Stage.PARSE and document.name != "here",
    )
    local, *remote = documents(tools, ["here", *(f"elsewhere {number}" for number in range(many))])
    pipeline = Pipeline(tools, tmp_path / "work")
    threads = [threading.Thread(target=pipeline.run, args=(each.id, Stage.PARSE)) for each in remote]
    for thread in threads:
        thread.start()
    together.wait(LIMIT_SECONDS)
    assert pipeline.run(local.id, Stage.PARSE)
    ends.set()
    for thread in threads:
        thread.join(LIMIT_SECONDS)
    assert here.calls == 1


def test_only_so_many_are_read_here_at_a_time(tmp_path: Path) -> None:
    at_work, most, lock, full = 0, 0, threading.Lock(), threading.Event()

    def count() -> None:
        nonlocal at_work, most
        with lock:
            at_work += 1
            most = max(most, at_work)
            if at_work == AT_WORK:
                full.set()
        full.wait(LIMIT_SECONDS)
        threading.Event().wait(0.02)  # time for one too many to come
        with lock:
            at_work -= 1

    tools = tools_of(tmp_path).with_engines(choose=lambda document: FakeParser(count))
    pipeline = Pipeline(tools, tmp_path / "work")
    names = [f"{number}.txt" for number in range(AT_WORK * 3)]
    threads = [threading.Thread(target=pipeline.run, args=(each.id, Stage.PARSE)) for each in documents(tools, names)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(LIMIT_SECONDS)
    assert most == AT_WORK


@pytest.mark.parametrize(("deaths", "is_suspect"), [(0, True), (ATTEMPTS - 1, False)])
def test_one_that_may_have_ended_its_reader_is_read_while_no_other_is(
    tmp_path: Path, deaths: int, is_suspect: bool
) -> None:
    tools = tools_of(tmp_path)
    suspect, other = (
        DocumentRun(each, WorkFolder(tmp_path, each.id), Never()) for each in documents(tools, ["suspect", "other"])
    )
    for _ in range(deaths):
        suspect.work.note_interruption(Stage.PARSE, is_death=True)
    suspect.is_suspect = is_suspect
    slots, read = StageSlots(tools.engines.waits_elsewhere), threading.Event()

    def read_other() -> None:
        with Room() as room:
            slots.enter([other], Stage.PARSE, room)
            read.set()

    thread = threading.Thread(target=read_other)
    with Room() as alone:
        slots.enter([suspect], Stage.PARSE, alone)
        thread.start()
        assert not read.wait(0.5)
    assert read.wait(LIMIT_SECONDS)
    thread.join(LIMIT_SECONDS)
