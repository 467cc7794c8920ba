"""What every VectorStore in SQL does while other processes work in its base."""

from dataclasses import replace

import pytest
from sqlalchemy import Engine

from core.documents.model import Document, KnowledgeBase
from core.documents.ports.library import Library
from core.search.ports import MadeVectors
from core.search.store.vectors import SqlVectorStore
from tests.contracts.libraries import base, library
from tests.store.databases import clock, engine, migrated_file
from tests.store.interleaving import interleaved
from tests.store.samples import publish

__all__ = ["base", "clock", "engine", "library", "migrated_file"]


@pytest.fixture
def document(library: Library, base: KnowledgeBase) -> Document:
    return publish(library, base, "a.pdf", "BERT uses attention.", "Google is in London.")


@pytest.fixture
def store(engine: Engine) -> SqlVectorStore:
    return SqlVectorStore(engine)


@pytest.fixture
def made(store: SqlVectorStore, base: KnowledgeBase, document: Document) -> list[MadeVectors]:
    return [MadeVectors(entry, b"", False) for entry in store.pending(base.id, "chunks", "words", 99)]


def test_two_processes_may_note_the_same_vectors(
    engine: Engine, base: KnowledgeBase, store: SqlVectorStore, made: list[MadeVectors]
) -> None:
    interleaved(
        engine,
        lambda: store.keep("chunks", "words", made),
        "entry_vectors",
        lambda: store.keep("chunks", "words", made[::-1]),
    )
    assert store.pending(base.id, "chunks", "words", 99) == []


def test_the_vector_of_a_passage_that_is_edited_meanwhile_is_made_again(
    engine: Engine, library: Library, document: Document, store: SqlVectorStore, made: list[MadeVectors]
) -> None:
    chunk = library.publications.get(document.id).chunks[0]
    edited = replace(chunk, text="BERT reads.", original=chunk.text)
    interleaved(
        engine,
        lambda: store.keep("chunks", "words", made),
        "FROM chunks",
        lambda: library.publications.replace_chunk(edited, [], []),
    )
    assert [entry.text for entry in store.pending(document.base_id, "chunks", "words", 99)] == ["BERT reads."]
