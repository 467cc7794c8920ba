"""Entities by where and since when documents mention them."""

import pytest
from sqlalchemy import Engine

from core.documents.model import Document
from core.documents.store.library import sql_library
from core.graph.model import MentionFilter
from core.graph.resolution import editing
from core.graph.store.graph import SqlGraph
from core.graph.store.graph_edits import SqlGraphEdits
from tests.store.databases import TickingClock, clock, engine, migrated_file
from tests.store.samples import publish

__all__ = ["clock", "engine", "migrated_file"]


@pytest.fixture
def documents(engine: Engine, clock: TickingClock) -> tuple[Document, Document]:
    library = sql_library(engine, clock)
    base = library.bases.create("B")
    first = publish(library, base, "a.pdf", "BERT by Google", "attention", "London")
    return first, publish(library, base, "b.pdf", "BERT and Ada Lovelace")


def names(graph: SqlGraph, base_id: str, where: MentionFilter) -> set[str]:
    found = graph.mentioned(base_id, where)
    return {entity.name for entity in graph.every(base_id) if entity.id in found}


def test_documents_pages_and_confidence_narrow(engine: Engine, documents: tuple[Document, Document]) -> None:
    graph, base_id = SqlGraph(engine), documents[0].base_id
    assert names(graph, base_id, MentionFilter(document=documents[1].id)) == {"BERT", "Ada Lovelace"}
    assert names(graph, base_id, MentionFilter(first_page=1)) == {"attention", "London"}
    assert names(graph, base_id, MentionFilter(first_page=1, last_page=1)) == {"attention"}
    assert names(graph, base_id, MentionFilter(confidence=1.01)) == set()


def test_what_is_new_since_a_time_was_in_no_earlier_document(
    engine: Engine, documents: tuple[Document, Document]
) -> None:
    graph, base_id = SqlGraph(engine), documents[0].base_id
    where = MentionFilter(since=documents[1].ready_at)
    assert names(graph, base_id, where) == {"Ada Lovelace"}
    london, ada = (graph.search(base_id, name, 1)[0] for name in ("London", "Ada Lovelace"))
    SqlGraphEdits(engine).record(base_id, [editing.merge(ada, [london])])
    assert names(graph, base_id, where) == set()
