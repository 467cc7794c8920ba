"""Editing chunks: what is read, found and drawn follows the text, and the original comes back."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from core.documents.lifecycle.editing import MAX_CHARACTERS, ChunkEditor
from core.documents.model import Chunk, Document
from core.documents.pipeline.pipeline import Pipeline
from core.graph.model import Relation
from core.graph.store.graph import SqlGraph
from core.platform.errors import InputError, NotFoundError, ServiceError
from core.search.ports import IndexEntry
from tests.fakes.extraction import FakeExtractor
from tests.fakes.indexes import FakeLexicalIndex
from tests.fakes.ingestion import run_all, tools_of

TEXT = "KelpNet reads the spectra of Lumen.\n\nIngrid leads the Observatory in Marlow."


class BrokenIndex(FakeLexicalIndex):
    broken = False

    def upsert(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> None:
        if self.broken:
            raise ServiceError("retrieval.index_missing")
        super().upsert(base_id, level, entries)


@dataclass
class Bench:
    """One document of one chunk over two pages, edited with rules."""

    data: Path
    lexical: BrokenIndex = field(default_factory=BrokenIndex)

    def __post_init__(self) -> None:
        tools = tools_of(self.data)
        self.library = tools.library
        self.base = self.library.bases.create("Papers")
        stored = tools.files.save(TEXT.encode(), "a.txt")
        self.document: Document = self.library.documents.add(
            self.base.id, "a.txt", stored.sha256, stored.size, "text/plain"
        )[0]
        run_all(Pipeline(tools, self.data / "work"), self.document.id)
        self.graph = SqlGraph(self.library.documents.engine)  # type: ignore[attr-defined]
        self.editor = ChunkEditor(self.library.documents, self.library.publications, FakeExtractor(), self.lexical)

    @property
    def chunk(self) -> Chunk:
        return self.library.passages.chunks(self.document.id)[0]

    def rewrite(self, text: str) -> Chunk:
        return self.editor.rewrite(self.document.id, self.chunk.id, text)

    def names(self) -> set[str]:
        return {entity.name for entity in self.graph.of_chunks([self.chunk.id])[self.chunk.id]}


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


def test_an_edit_keeps_the_pages_of_what_is_unchanged(bench: Bench) -> None:
    before = bench.chunk
    after = bench.rewrite(TEXT.replace("Lumen", "Halo"))
    assert after == bench.chunk
    assert (after.original, after.id, len(after.spans)) == (TEXT, before.id, len(before.spans))
    start = after.text.index("Observatory")
    old = before.text.index("Observatory")
    assert after.boxes(start, start + 5) == before.boxes(old, old + 5)


def test_entities_follow_the_text(bench: Bench) -> None:
    assert {"KelpNet", "Lumen", "Ingrid"} <= bench.names()
    bench.rewrite(TEXT.replace("Lumen", "Halo").replace(" in Marlow", ""))
    assert {"KelpNet", "Halo", "Ingrid"} <= bench.names()
    assert not {"Lumen", "Marlow"} & bench.names()
    assert {"Lumen", "Marlow"}.isdisjoint(e.name for e in bench.graph.search(bench.base.id, "", 20))
    for entity in bench.graph.search(bench.base.id, "", 20):
        for view in bench.graph.mentions(entity.id, 5):
            assert bench.chunk.text[view.mention.start : view.mention.end] == view.mention.surface


def test_a_relation_goes_with_the_words_that_stated_it(bench: Bench) -> None:
    ids = {entity.name: entity.id for entity in bench.graph.search(bench.base.id, "", 20)}
    publication = bench.library.publications.get(bench.document.id)
    pages = {mention.entity_id: mention.page for mention in publication.mentions}
    stated = [
        Relation(ids[source], ids[target], verb, 0.9, ((bench.document.id, pages[ids[source]]),))
        for source, verb, target in (("Ingrid", "leads", "Observatory"), ("KelpNet", "reads", "Lumen"))
    ]
    bench.library.publications.publish(replace(publication, relations=tuple(stated)))
    bench.rewrite(TEXT.replace("leads", "left"))
    left = bench.library.publications.get(bench.document.id).relations
    assert [relation.relation for relation in left] == ["reads"]


def test_a_name_the_document_knows_is_the_same_entity(bench: Bench) -> None:
    known = {e.name: e.id for e in bench.graph.search(bench.base.id, "", 20)}
    bench.rewrite(TEXT + " Kelpnet again.")
    found = {e.name: e for e in bench.graph.search(bench.base.id, "", 20)}
    assert found["KelpNet"].id == known["KelpNet"]
    assert found["KelpNet"].mentions == 2


def test_the_index_and_a_rebuilt_one_find_the_new_words(bench: Bench) -> None:
    bench.rewrite(TEXT.replace("Lumen", "Halo"))
    assert bench.lexical.search(bench.base.id, "chunks", "Halo", 5)[0][0] == bench.chunk.id
    entries = [entry for batch in bench.library.passages.index_entries(bench.base.id, "chunks") for entry in batch]
    assert [entry.text for entry in entries] == [bench.chunk.text]


def test_the_original_comes_back_with_its_spans_after_many_edits(bench: Bench) -> None:
    before, names = bench.chunk, bench.names()
    bench.rewrite("Something else altogether.")
    bench.rewrite("And KelpNet once more.")
    assert bench.chunk.original == TEXT
    assert bench.rewrite(TEXT) == before
    assert bench.chunk == before
    assert bench.names() == names


def test_an_unchanged_text_changes_nothing(bench: Bench) -> None:
    version = bench.library.bases.get(bench.base.id).index_version
    assert bench.rewrite(TEXT) == bench.chunk
    assert bench.library.bases.get(bench.base.id).index_version == version


@pytest.mark.parametrize("text", ["", "  \n ", "x" * (MAX_CHARACTERS + 1)])
def test_a_text_that_cannot_be_found_is_refused(bench: Bench, text: str) -> None:
    with pytest.raises(InputError):
        bench.rewrite(text)
    assert bench.chunk.text == TEXT


def test_when_an_index_fails_nothing_has_changed(bench: Bench) -> None:
    bench.lexical.broken = True
    with pytest.raises(ServiceError):
        bench.rewrite("Another text")
    assert (bench.chunk.text, bench.chunk.original) == (TEXT, "")


def test_a_chunk_is_switched_off_and_on(bench: Bench) -> None:
    bench.editor.switch(bench.chunk.id, False)
    assert not bench.chunk.enabled
    assert bench.rewrite("Still off Halo").enabled is False
    bench.editor.switch(bench.chunk.id, True)
    assert bench.chunk.enabled
    with pytest.raises(NotFoundError):
        bench.editor.switch("gone", True)
