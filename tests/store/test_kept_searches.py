"""A search by name whose entities are at hand is never older than the base, nor a stranger's."""

from datetime import UTC, datetime

from sqlalchemy import Engine

from core.documents.store.library import sql_library
from core.graph.store.graph import SqlGraph
from core.people.store.people import SqlPeople
from core.platform.identity import Person, acting_as
from core.platform.sql.scoping import keep_apart
from tests.store.databases import TickingClock
from tests.store.samples import publish

ADA, BOB = Person("ada", "Ada", "ada@example.org"), Person("bob", "Bob", "bob@example.org")


def names(graph: SqlGraph, base_id: str, query: str, limit: int = 10) -> list[str]:
    return [found.name for found in graph.search(base_id, query, limit)]


def test_a_change_by_another_process_is_seen(engine: Engine, clock: TickingClock) -> None:
    library, graph = sql_library(engine, clock), SqlGraph(engine)
    base = library.bases.create("Papers")
    publish(library, base, "a.pdf", "BERT")
    assert names(graph, base.id, "bert") == names(graph, base.id, "bert") == ["BERT"]
    assert names(graph, base.id, "google") == []
    document = publish(sql_library(engine, clock), base, "b.pdf", "Google and BERT")
    assert names(graph, base.id, "google") == ["Google"]
    assert [(found.name, found.mentions) for found in graph.search(base.id, "bert", 1)] == [("BERT", 2)]
    sql_library(engine, clock).documents.delete(document.id)
    assert names(graph, base.id, "google") == []


def test_what_one_person_found_is_not_told_another(engine: Engine, clock: TickingClock) -> None:
    keep_apart(engine)
    people, library, graph = SqlPeople(engine, clock), sql_library(engine, clock), SqlGraph(engine)
    for person in (ADA, BOB):
        people.enter(person, datetime(2026, 11, 22, tzinfo=UTC))
    with acting_as(ADA):
        base = library.bases.create("Papers")
        publish(library, base, "a.pdf", "BERT")
        assert names(graph, base.id, "bert", 1) == names(graph, base.id, "bert", 1) == ["BERT"]
    with acting_as(BOB):
        assert names(graph, base.id, "bert", 1) == []
    with acting_as(ADA):
        assert names(graph, base.id, "bert", 1) == ["BERT"]
