from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np
import pytest

from core.documents.model import Document, KnowledgeBase
from core.documents.pipeline.vector_builder import BATCH, VectorBuilder
from core.documents.ports.library import Library
from core.documents.store.library import sql_library
from core.models.embedding.hashed import HashedEmbedder
from core.platform.errors import ServiceError
from core.platform.sql.engine import open_engine
from core.platform.sql.migrate import migrate
from core.search.index.chroma_index import ChromaIndex
from core.search.ports import VectorProgress
from core.search.store.vectors import SqlVectorStore
from tests.store.samples import add, publication


class SentenceEmbedder(HashedEmbedder):
    """Hashed words, of each sentence by itself."""

    def __init__(self, name: str = "sentences") -> None:
        self.own_name = name
        self.asked = 0
        self.broken = False

    @property
    def name(self) -> str:
        return self.own_name

    def embed_parts(self, passages: Sequence[Sequence[str]]) -> list[Any]:
        if self.broken:
            raise ServiceError("retrieval.embedding_busy")
        self.asked += sum(map(len, passages))
        return [np.array(self.embed(parts)) for parts in passages]


@dataclass
class Shelf:
    """A base whose documents are published, and what builds their vectors."""

    folder: Path
    embedder: SentenceEmbedder = field(default_factory=SentenceEmbedder)
    library: Library = field(init=False)
    base: KnowledgeBase = field(init=False)

    def __post_init__(self) -> None:
        engine = open_engine(f"sqlite:///{self.folder / 'graphtalk.sqlite'}")
        migrate(engine)
        self.library, self.store = sql_library(engine), SqlVectorStore(engine)
        self.base = self.library.bases.create("Shelf")
        self.use(self.embedder)

    def use(self, embedder: SentenceEmbedder) -> None:
        """As after a start with other settings."""
        self.embedder = embedder
        self.index = ChromaIndex(self.folder / "chroma", embedder, self.store)
        self.builder = VectorBuilder(self.library.bases, self.library.documents, self.index)

    def publish(self, title: str, *texts: str) -> Document:
        document = add(self.library, self.base, title)
        self.library.publications.publish(replace(publication(document, self.base, texts, {}), title=title))
        return document

    def build(self) -> None:
        while self.builder.step():
            pass

    @property
    def progress(self) -> VectorProgress:
        return self.index.progress(self.base.id)

    def found(self, query: str) -> str:
        best = self.index.search(self.base.id, "chunks", query, 1)
        return self.library.passages.get([best[0][0]])[0].chunk.text


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    made = Shelf(tmp_path)
    made.publish("Buoys", "A buoy drifts. It is yellow.", "A mast is made of steel.")
    made.publish("Rivers", "A river floods in spring.")
    return made


def test_every_published_passage_gets_its_vectors(shelf: Shelf) -> None:
    assert shelf.progress == VectorProgress(0, 5)
    shelf.build()
    assert shelf.progress == VectorProgress(5, 5)
    assert shelf.found("steel mast") == "A mast is made of steel."
    assert not shelf.builder.step()


def test_the_store_tells_of_what_each_vector_was_made(shelf: Shelf) -> None:
    asked = (shelf.base.id, "chunks", shelf.embedder.name)
    _, entries = shelf.index.pending(shelf.base.id, 10)
    assert shelf.store.digests(*asked, 10) == {}
    shelf.build()
    assert shelf.store.digests(*asked, 10) == {entry.chunk_id: entry.digest for entry in entries}
    assert len(shelf.store.digests(*asked, 2)) == 2
    others = shelf.store.digests(shelf.base.id, "summaries", shelf.embedder.name, 10)
    assert not others.keys() & {entry.chunk_id for entry in entries}
    assert shelf.store.digests("another", "chunks", shelf.embedder.name, 10) == {}


def test_it_works_in_batches(shelf: Shelf) -> None:
    shelf.publish("Many", *[f"Passage number {number}." for number in range(BATCH)])
    shelf.builder.step()
    assert shelf.progress.done == BATCH


def test_another_process_goes_on_where_one_was_killed(shelf: Shelf) -> None:
    shelf.publish("Many", *[f"Passage number {number}." for number in range(BATCH)])
    shelf.builder.step()
    asked = shelf.embedder.asked
    shelf.use(SentenceEmbedder())
    shelf.build()
    assert shelf.progress.is_complete
    assert shelf.embedder.asked < asked


def test_vectors_that_were_written_but_not_noted_are_written_again(shelf: Shelf) -> None:
    shelf.build()
    shelf.store.forget_base(shelf.base.id)  # as a crash between the two leaves it
    shelf.use(SentenceEmbedder())
    shelf.build()
    assert shelf.progress.is_complete
    assert shelf.index.count(shelf.base.id, "chunks") == 3


def test_an_edited_passage_gets_new_vectors_and_the_others_keep_theirs(shelf: Shelf) -> None:
    shelf.build()
    document = shelf.library.documents.of_base(shelf.base.id)[0]
    chunk = shelf.library.passages.chunks(document.id)[1]
    shelf.library.publications.replace_chunk(replace(chunk, text="An anchor holds the chain."), (), ())
    assert shelf.progress == VectorProgress(4, 5)
    assert shelf.index.nearness(shelf.base.id, "chunks", "steel mast", [chunk.id]) == {}, "those of the old text"
    shelf.build()
    assert shelf.found("anchor chain") == "An anchor holds the chain."


def test_vectors_of_a_text_that_changed_meanwhile_are_not_noted(shelf: Shelf) -> None:
    level, entries = shelf.index.pending(shelf.base.id, BATCH)
    shelf.index.upsert(shelf.base.id, level, [replace(entry, text="older text") for entry in entries])
    assert shelf.progress.done == 0


def test_a_document_that_is_removed_meanwhile_leaves_nothing(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    document = shelf.library.documents.of_base(shelf.base.id)[0]
    embed = shelf.embedder.embed

    def remove_first(texts: Sequence[str]) -> Sequence[Sequence[float]]:
        shelf.library.documents.delete(document.id)
        return embed(texts)

    monkeypatch.setattr(shelf.embedder, "embed", remove_first)
    shelf.build()
    assert shelf.progress == VectorProgress(2, 2)
    assert shelf.index.count(shelf.base.id, "chunks") == 1


def test_a_base_that_is_removed_meanwhile_leaves_nothing(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    embed = shelf.embedder.embed

    def remove_first(texts: Sequence[str]) -> Sequence[Sequence[float]]:
        shelf.library.bases.delete(shelf.base.id)
        return embed(texts)

    monkeypatch.setattr(shelf.embedder, "embed", remove_first)
    shelf.build()
    assert shelf.index.count(shelf.base.id, "chunks") == 0


def test_after_a_change_of_embedder_the_base_is_made_anew_and_spaces_never_mix(shelf: Shelf) -> None:
    shelf.build()
    shelf.use(SentenceEmbedder("newer"))
    assert shelf.progress == VectorProgress(0, 5)
    shelf.builder.step()
    shelf.build()
    assert shelf.progress == VectorProgress(5, 5)
    shelf.use(SentenceEmbedder())
    assert shelf.progress == VectorProgress(0, 5)


def test_vectors_that_were_forgotten_are_made_again_without_a_change_of_the_base(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.build()
    shelf.store.forget_base(shelf.base.id)  # as a rebuilding of the index in another process does
    monkeypatch.setattr("core.documents.pipeline.vector_builder._LOOK_AGAIN_SECONDS", 0.0)
    shelf.build()
    assert shelf.progress.is_complete


def test_a_failing_embedder_is_asked_again_later(shelf: Shelf) -> None:
    shelf.embedder.broken = True
    with pytest.raises(ServiceError):
        shelf.builder.step()
    shelf.embedder.broken = False
    shelf.build()
    assert shelf.progress.is_complete


def test_it_serves_until_it_is_stopped(shelf: Shelf) -> None:
    stop, rooms = Event(), 0

    @contextmanager
    def room() -> Iterator[None]:
        nonlocal rooms
        rooms += 1
        yield
        if shelf.progress.is_complete:
            stop.set()

    thread = Thread(target=shelf.builder.serve, args=(stop, room))
    thread.start()
    thread.join(30)
    assert not thread.is_alive()
    assert shelf.progress.is_complete
    assert rooms >= 1


def test_while_documents_are_published_their_vectors_wait_for_each_other(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.documents.pipeline.vector_builder._LOOK_SECONDS", 0.0)
    shelf.build()
    stop, waiting = Event(), iter(["One", "Two", "Three"])
    known, missing = shelf.library.bases.all, list[int]()

    def all_bases() -> list[KnowledgeBase]:
        """Something is published before each of the first looks."""
        if title := next(waiting, ""):
            shelf.publish(title, f"Passage {title}.")
        return known()

    @contextmanager
    def room() -> Iterator[None]:
        missing.append(shelf.progress.total - shelf.progress.done)
        yield
        if shelf.progress.total == 11 and shelf.progress.is_complete:
            stop.set()

    monkeypatch.setattr(shelf.library.bases, "all", all_bases)
    shelf.builder._grows()
    thread = Thread(target=shelf.builder.serve, args=(stop, room))
    thread.start()
    thread.join(30)
    assert not thread.is_alive()
    assert missing[0] == 6
