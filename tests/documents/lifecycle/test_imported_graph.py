"""A graph that was imported says what its files say, and is exported as it came."""

import json
from dataclasses import dataclass
from itertools import combinations
from random import Random
from typing import Any

import pytest
from sqlalchemy import Engine

from core.documents.lifecycle.graph_import import GraphImport, Imported
from core.documents.ports.library import Library
from core.documents.store.library import sql_library
from core.graph.files.exports import edges_json, nodes_json
from core.graph.model import Entity
from core.graph.ports import GraphEdits, KnowledgeGraph
from core.graph.resolution import editing
from core.graph.store.graph import SqlGraph
from core.graph.store.graph_edits import SqlGraphEdits
from tests.fakes.indexes import FakeLexicalIndex
from tests.store.databases import TickingClock, clock, engine, migrated_file
from tests.store.samples import publish

__all__ = ["clock", "engine", "migrated_file"]
Rows = list[dict[str, Any]]
CASES = 10


@dataclass
class Bases:
    """Knowledge bases of one database."""

    library: Library
    graph: KnowledgeGraph
    graph_edits: GraphEdits

    def new(self) -> str:
        return self.library.bases.create(f"Base {len(self.library.bases.all())}").id

    def take(self, base_id: str, nodes: Rows, edges: Rows) -> Imported:
        library = self.library
        importer = GraphImport(library.documents, library.publications, FakeLexicalIndex(), self.graph)
        return importer.take(base_id, json.dumps(nodes).encode(), json.dumps(edges).encode())

    def given(self, base_id: str) -> tuple[Rows, Rows]:
        """The two files of a base."""
        nodes, edges = ("".join(make(self, base_id)) for make in (nodes_json, edges_json))
        return json.loads(nodes), json.loads(edges)

    def relations(self, base_id: str) -> set[tuple[str, str, str]]:
        """(name, relation, name), the names in order where the relation has no direction."""
        names = {each.id: each.name for each in self.graph.every(base_id)}
        found = self.graph.relations_between(list(names))
        ends = [(names[each.source_id], names[each.target_id], each.relation) for each in found]
        return {
            (min(one, other), max(one, other), relation) if relation == "CO_OCCURS_IN" else (one, other, relation)
            for one, other, relation in ends
        }

    def named(self, base_id: str, name: str) -> Entity:
        return next(each for each in self.graph.every(base_id) if each.name == name)


@pytest.fixture
def bases(engine: Engine, clock: TickingClock) -> Bases:
    return Bases(sql_library(engine, clock), SqlGraph(engine), SqlGraphEdits(engine, clock))


def node(number: int, **given: Any) -> dict[str, Any]:
    row = {"id": f"n{number}", "name": f"Thing {chr(65 + number)}", "type": "CONCEPT", "source_doc": "a.pdf"}
    return {**row, "char_start": 3 * number, "char_end": 90, "confidence": "match_exact", "page": 0, **given}


def edge(one: int, other: int, relation: str = "CO_OCCURS_IN", **given: Any) -> dict[str, Any]:
    return {"source": f"n{one}", "target": f"n{other}", "relation": relation, "doc_id": "a.pdf", "page": 0, **given}


SIX = [node(number) for number in range(6)]
TWO = [edge(0, 1), edge(2, 3, "OWNS")]


def test_six_nodes_with_two_edges_have_two_relations_and_come_out_as_they_went_in(bases: Bases) -> None:
    base_id = bases.new()
    taken = bases.take(base_id, SIX, TWO)
    assert (taken.nodes, taken.edges, taken.documents) == (6, 2, 1)
    stats = bases.graph.stats(base_id)
    assert (stats.entities, stats.relations) == (6, 2)
    assert bases.relations(base_id) == {("Thing A", "Thing B", "CO_OCCURS_IN"), ("Thing C", "Thing D", "OWNS")}
    assert bases.given(base_id) == (SIX, TWO)
    pairs = combinations((bases.named(base_id, f"Thing {letter}").id for letter in "ABCD"), 2)
    assert [bool(bases.graph.shared_chunks(*pair, 9)) for pair in pairs] == [True, *[False] * 5]


def test_what_the_graph_cannot_hold_twice_is_counted_once(bases: Bases) -> None:
    base_id = bases.new()
    nodes = [*SIX, node(6, name="THING A", page=4), node(7, name="Things A")]
    edges = [*TWO, edge(1, 0), edge(0, 1, page=7), edge(0, 6), edge(0, 7, "OWNS")]
    taken = bases.take(base_id, nodes, edges)
    stats = bases.graph.stats(base_id)
    assert (taken.nodes, taken.edges) == (stats.entities, stats.relations) == (7, 3)
    assert bases.take(base_id, nodes, edges) == taken
    assert bases.graph.stats(base_id) == stats


def any_graph(random: Random) -> tuple[Rows, Rows]:
    """Files that validate, with whatever a file may have: repeated names, loops, places of their own, odd names."""
    names = [
        "Café",
        "CAFÉ",
        "Model",
        "Models",
        "the Model",
        "Levi's",
        "C++",
        "网络",
        "a\u0301 b",
        " Two  spaces ",
        "x" * 300,
    ]
    names += [f"Name {number}" for number in range(12)]
    sources = ["a.pdf", " a.pdf", "b.md", " ", "c (1).txt"]
    nodes = [
        {
            "id": f"{random.choice('nmzé')}{number}",
            "name": random.choice(names),
            "type": random.choice(["CONCEPT", "PERSON", "concept"]),
            "source_doc": random.choice(sources),
            "char_start": random.randrange(5),
            "char_end": random.randrange(5, 9),
            "confidence": random.choice(["match_exact", "match_fuzzy", 0, 1, 0.123456789]),
            "page": random.randrange(3),
        }
        | random.choice([{}, {"score": 0.25}])
        for number in range(random.randrange(25))
    ]
    ids = [each["id"] for each in nodes]
    edges = [
        {
            "source": random.choice(ids),
            "target": random.choice(ids),
            "relation": random.choice(["CO_OCCURS_IN", "CO_OCCURS_IN", "OWNS", "leads to"]),
            "doc_id": random.choice(sources),
            "page": random.randrange(3),
        }
        for _ in range(random.randrange(150) if ids else 0)
    ]
    return nodes, edges


def test_the_export_of_an_import_is_imported_and_exported_as_the_same_files(bases: Bases) -> None:
    for seed in range(CASES):
        first, second = bases.new(), bases.new()
        taken = bases.take(first, *any_graph(Random(seed)))
        files = bases.given(first)
        stats = bases.graph.stats(first)
        assert (taken.nodes, taken.edges) == (stats.entities, stats.relations), seed
        bases.take(second, *files)
        assert bases.given(second) == files, seed
        assert bases.relations(second) == bases.relations(first), seed


def test_what_is_imported_can_be_edited_and_the_edits_undone(bases: Bases) -> None:
    base_id = bases.new()
    full = [edge(*pair, page=1) for pair in combinations(range(3), 2)]
    bases.take(base_id, SIX, [*TWO, *full, edge(3, 4), edge(4, 5)])
    before = bases.relations(base_id)
    _a, b, c, d, e = (bases.named(base_id, f"Thing {letter}") for letter in "ABCDE")
    for chunk_id in bases.graph.shared_chunks(d.id, e.id, 9):
        bases.graph_edits.record(base_id, [editing.reject(d, e, chunk_id)])
    assert before - bases.relations(base_id) == {("Thing D", "Thing E", "CO_OCCURS_IN")}
    assert edge(3, 4) not in bases.given(base_id)[1]
    bases.graph_edits.record(base_id, [editing.merge(c, [d])])
    bases.graph_edits.record(base_id, [editing.delete([b])])
    assert bases.relations(base_id) == {
        ("Thing A", "Thing C", "CO_OCCURS_IN"), ("Thing E", "Thing F", "CO_OCCURS_IN"),
    }  # fmt: skip
    while batch := bases.graph_edits.next_undo(base_id):
        bases.graph_edits.set_undone(base_id, [each.number for each in batch], True)
    assert bases.relations(base_id) == before


def test_deleting_the_import_leaves_what_other_documents_say(bases: Bases) -> None:
    base_id = bases.new()
    publish(bases.library, bases.library.bases.get(base_id), "own.pdf", "BERT and Transformer", "Google and BERT")
    before = bases.relations(base_id), bases.given(base_id)
    bert = node(6, name="BERT", type="TECHNOLOGY")
    bases.take(base_id, [*SIX, bert], [*TWO, edge(0, 6)])
    assert len(bases.relations(base_id)) == len(before[0]) + 3
    (imported,) = [it for it in bases.library.documents.of_base(base_id) if it.name == "a.pdf"]
    kept = bases.library.publications.get(imported.id)
    bases.library.documents.delete(imported.id)
    assert (bases.relations(base_id), bases.given(base_id)) == before
    bases.library.publications.restore(imported, kept)
    assert len(bases.relations(base_id)) == len(before[0]) + 3
