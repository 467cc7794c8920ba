"""Reading a document again: both readings can be had until one is chosen."""

from pathlib import Path

import pytest

from core.adapters.sql.canonical import canonical_dump
from core.adapters.sql.graph import SqlGraph
from core.domain.documents import Block, Document
from core.errors import InputError, NotFoundError
from core.ingest.intake import Intake
from core.ingest.pipeline import Pipeline
from core.ingest.reparse import Reparse
from core.ingest.spool import SpoolQueue
from core.ingest.trash import Trash
from core.ports import Cancel, Parsed, Progress
from tests.ingest.doubles import FakeParser, run_all, tools_of


class OtherParser(FakeParser):
    """Reads every word in capitals, or fails."""

    fails = False

    @property
    def identity(self) -> str:
        return f"other {self.calls}"

    def parse(self, path: Path, name: str, media_type: str, cancel: Cancel, progress: Progress) -> Parsed:
        first = self.calls == 0
        made = super().parse(path, name, media_type, cancel, progress)
        if first:
            return made
        if self.fails:
            raise InputError("ingest.error.no_text", name=name)
        block = Block(0, 0, "text", path.read_text(encoding="utf-8").upper(), box=(1, 2, 3, 4))
        return Parsed((block,), 1, "other 2")


class Desk:
    def __init__(self, data: Path) -> None:
        self.parser = OtherParser()
        tools = tools_of(data, parser=self.parser)
        self.library = tools.library
        self.indexes = (tools.chunk_index, tools.lexical_index)
        self.queue = SpoolQueue(data / "spool", self.library)
        self.intake = Intake(self.library, tools.files, self.queue)
        self.pipeline = Pipeline(tools, data / "work")
        self.reparse = Reparse(self.library, self.indexes, self.intake, Trash(data / "versions"))
        self.base = self.library.create_base("Papers")
        self.document = self.intake.add(self.base.id, "a.txt", b"KelpNet reads Lumen.\n\nIngrid leads.")[0]
        run_all(self.pipeline, self.document.id)
        self.graph = SqlGraph(self.library.engine)  # type: ignore[attr-defined]

    @property
    def now(self) -> Document:
        return self.library.document(self.document.id)

    def dump(self) -> str:
        return canonical_dump(self.library.engine, self.base.id)  # type: ignore[attr-defined]

    def again(self) -> None:
        self.reparse.begin(self.document.id, "built-in")
        run_all(self.pipeline, self.document.id)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_both_readings_can_be_compared(desk: Desk) -> None:
    before = desk.library.publication(desk.document.id)
    desk.again()
    earlier = desk.reparse.earlier(desk.document.id)
    assert earlier
    assert earlier.publication == before
    assert (earlier.document.parser, desk.now.parser) == ("fake 1", "other 2")
    assert desk.reparse.is_ready(desk.now)
    assert desk.library.chunks(desk.document.id)[0].text.startswith("KELPNET")


def test_the_old_reading_comes_back_as_it_was(desk: Desk) -> None:
    chunk = desk.library.chunks(desk.document.id)[0]
    desk.library.enable_chunk(chunk.id, False)
    before = desk.dump()
    desk.again()
    assert desk.dump() != before
    desk.reparse.keep_old(desk.document.id)
    assert desk.reparse.earlier(desk.document.id) is None
    assert desk.now.parser == "fake 1"
    assert not desk.library.chunks(desk.document.id)[0].enabled
    for index in desk.indexes:
        assert index.count(desk.base.id, "chunks") == 1
    assert {entity.name for entity in desk.graph.search(desk.base.id, "", 9)} == {"KelpNet", "Lumen", "Ingrid"}


def test_the_new_reading_stays_when_it_is_chosen(desk: Desk) -> None:
    desk.again()
    desk.reparse.keep_new(desk.document.id)
    assert desk.reparse.earlier(desk.document.id) is None
    assert desk.now.parser == "other 2"
    with pytest.raises(NotFoundError):
        desk.reparse.keep_old(desk.document.id)


def test_a_reading_that_fails_leaves_the_old_one_in_use(desk: Desk) -> None:
    before = desk.library.publication(desk.document.id)
    desk.parser.fails = True
    desk.again()
    assert desk.now.error_key == "ingest.error.no_text"
    assert not desk.reparse.is_ready(desk.now)
    assert desk.library.publication(desk.document.id) == before
    desk.reparse.keep_old(desk.document.id)
    assert desk.now.error_key == ""
    assert desk.library.publication(desk.document.id) == before


def test_of_several_undecided_readings_the_first_is_kept(desk: Desk) -> None:
    desk.again()
    desk.again()
    earlier = desk.reparse.earlier(desk.document.id)
    assert earlier
    assert earlier.document.parser == "fake 1"


def test_a_reading_that_was_cancelled_can_be_let_go(desk: Desk) -> None:
    before = desk.library.publication(desk.document.id)
    desk.reparse.begin(desk.document.id, "built-in")
    assert desk.reparse.is_busy(desk.now)
    with pytest.raises(InputError):
        desk.reparse.keep_old(desk.document.id)
    desk.intake.cancel(desk.document.id)
    desk.reparse.keep_old(desk.document.id)
    assert not desk.now.cancelled
    assert desk.library.publication(desk.document.id) == before
