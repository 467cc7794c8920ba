"""Reading a document again: both readings can be had until one is chosen."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from core.documents.lifecycle.intake import Intake
from core.documents.lifecycle.reparse import Reparse
from core.documents.lifecycle.trash import Trash
from core.documents.model import Block, Document
from core.documents.pipeline.pipeline import Pipeline
from core.documents.pipeline.spool import SpoolQueue
from core.documents.ports.parsing import Parsed, Progress
from core.graph.store.graph import SqlGraph
from core.models.meter import Cancel
from core.platform.errors import InputError, NotFoundError
from tests.canonical_dump import canonical_dump
from tests.fakes.ingestion import run_all, tools_of
from tests.fakes.parsing import FakeParser


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


class AgentHost:
    def __init__(self, data: Path) -> None:
        self.parser = OtherParser()
        tools = tools_of(data, parser=self.parser)
        self.library = tools.library
        self.indexes = (tools.chunk_index, tools.lexical_index)
        self.queue = SpoolQueue(data / "spool", self.library.ingest_records)
        self.intake = Intake(self.library.documents, tools.files, self.queue)
        self.pipeline = Pipeline(replace(tools, replacing=self._replacing), data / "work")
        library, versions = self.library, Trash(data / "versions")
        self.reparse = Reparse(
            library.documents, library.publications, library.ingest_records, self.indexes, self.intake, versions
        )
        self.base = self.library.bases.create("Papers")
        self.document = self.intake.add(self.base.id, "a.txt", b"KelpNet reads Lumen.\n\nIngrid leads.")[0]
        run_all(self.pipeline, self.document.id)
        self.graph = SqlGraph(self.library.documents.engine)  # type: ignore[attr-defined]

    @contextmanager
    def _replacing(self, document: Document) -> Iterator[None]:
        self.reparse.keep_edits(document)
        yield

    @property
    def text(self) -> str:
        return self.library.passages.chunks(self.document.id)[0].text

    def edit(self, text: str) -> None:
        chunk = self.library.passages.chunks(self.document.id)[0]
        self.library.publications.replace_chunk(replace(chunk, text=text, original=chunk.text), [], [])

    @property
    def now(self) -> Document:
        return self.library.documents.get(self.document.id)

    def dump(self) -> str:
        return canonical_dump(self.library.documents.engine, self.base.id)  # type: ignore[attr-defined]

    def again(self) -> None:
        self.reparse.begin(self.document.id, "built-in")
        run_all(self.pipeline, self.document.id)


@pytest.fixture
def desk(tmp_path: Path) -> AgentHost:
    return AgentHost(tmp_path)


def test_both_readings_can_be_compared(desk: AgentHost) -> None:
    before = desk.library.publications.get(desk.document.id)
    desk.again()
    earlier = desk.reparse.earlier(desk.document.id)
    assert earlier
    assert earlier == before
    assert (earlier.parser, desk.now.parser) == ("fake 1", "other 2")
    assert desk.reparse.is_ready(desk.now)
    assert desk.library.passages.chunks(desk.document.id)[0].text.startswith("KELPNET")


def test_the_old_reading_comes_back_as_it_was(desk: AgentHost) -> None:
    chunk = desk.library.passages.chunks(desk.document.id)[0]
    desk.library.publications.enable_chunk(chunk.id, False)
    before = desk.dump()
    desk.again()
    assert desk.dump() != before
    desk.reparse.keep_old(desk.document.id)
    assert desk.reparse.earlier(desk.document.id) is None
    assert desk.now.parser == "fake 1"
    assert not desk.library.passages.chunks(desk.document.id)[0].enabled
    assert desk.indexes[1].count(desk.base.id, "chunks") == 1
    assert {entity.name for entity in desk.graph.search(desk.base.id, "", 9)} == {"KelpNet", "Lumen", "Ingrid"}


def test_the_new_reading_stays_when_it_is_chosen(desk: AgentHost) -> None:
    desk.again()
    desk.reparse.keep_new(desk.document.id)
    assert desk.reparse.earlier(desk.document.id) is None
    assert desk.now.parser == "other 2"
    with pytest.raises(NotFoundError):
        desk.reparse.keep_old(desk.document.id)


def test_a_reading_that_fails_leaves_the_old_one_in_use(desk: AgentHost) -> None:
    before = desk.library.publications.get(desk.document.id)
    desk.parser.fails = True
    desk.again()
    assert desk.now.error_key == "ingest.error.no_text"
    assert not desk.reparse.is_ready(desk.now)
    assert desk.library.publications.get(desk.document.id) == before
    desk.reparse.keep_old(desk.document.id)
    assert desk.now.error_key == ""
    assert desk.library.publications.get(desk.document.id) == before


def test_of_several_undecided_readings_the_first_is_kept(desk: AgentHost) -> None:
    desk.again()
    desk.again()
    earlier = desk.reparse.earlier(desk.document.id)
    assert earlier
    assert earlier.parser == "fake 1"


def test_a_reading_that_was_cancelled_can_be_let_go(desk: AgentHost) -> None:
    before = desk.library.publications.get(desk.document.id)
    desk.reparse.begin(desk.document.id, "built-in")
    assert desk.reparse.is_busy(desk.now)
    with pytest.raises(InputError):
        desk.reparse.keep_old(desk.document.id)
    desk.intake.cancel(desk.document.id)
    desk.reparse.keep_old(desk.document.id)
    assert not desk.now.cancelled
    assert desk.library.publications.get(desk.document.id) == before


def test_an_edit_after_a_reading_that_failed_stays_and_so_does_why_it_failed(desk: AgentHost) -> None:
    desk.parser.fails = True
    desk.again()
    desk.edit("KelpNet reads Halo.")
    assert desk.now.error_key == "ingest.error.no_text"
    assert not desk.reparse.is_busy(desk.now)
    desk.reparse.keep_old(desk.document.id)
    assert (desk.now.error_key, desk.text) == ("", "KelpNet reads Halo.")


def test_what_is_edited_while_it_is_read_again_is_in_the_old_reading(desk: AgentHost) -> None:
    desk.reparse.begin(desk.document.id, "built-in")
    desk.edit("KelpNet reads Halo.")
    run_all(desk.pipeline, desk.document.id)
    assert desk.text.startswith("KELPNET")
    desk.reparse.keep_old(desk.document.id)
    assert desk.text == "KelpNet reads Halo."


def test_another_reading_leaves_the_first_one_with_its_edits(desk: AgentHost) -> None:
    desk.edit("KelpNet reads Halo.")
    desk.again()
    desk.edit("NOBODY READS.")
    desk.again()
    desk.reparse.keep_old(desk.document.id)
    assert desk.text == "KelpNet reads Halo."
