"""Exports of edited graphs: whatever was edited, they say what mentions and evidence say, and nothing twice."""

import csv
from collections.abc import Iterator, Sequence
from io import StringIO
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

from core.graph.edits import GraphEdit, Resolution
from core.graph.files.exports import EXPORTS, ExportFormat, edges_json, entities_csv, nodes_json
from core.graph.files.json_files import read_edges, read_nodes
from core.graph.layout.full_layout import whole_graph
from core.graph.model import Entity, Mention, Relation
from core.graph.network.cooccurrence import CO_OCCURS, Cooccurrence
from core.graph.network.incidences import pack
from core.graph.network.network import Network
from core.graph.resolution.resolution import resolve
from core.graph.store.resolved import joined_entity
from tests.graph.edited_graphs import Editor

SEQUENCES = 1_000
WITH_GRAPHML = 25
"""Every so many of them, since writing it takes longer than all the rest."""
INSIDE = ("0 1 2", "1 3", "2 3 4 5", "0 5", "4", "6 0", "1 6 3")
"""The entities that each chunk mentions; three chunks a document, a page each."""
TYPES = ("PERSON", "PLACE")
XML = "{http://graphml.graphdrawing.org/xmlns}"


def _mention(chunk: int, entity: str) -> Mention:
    at = 2 * INSIDE[chunk].index(entity)
    place = (f"d{chunk // 3}", f"c{chunk}", chunk % 3, at, at + 1)
    return Mention(f"m{chunk}{entity}", f"e{entity}", *place, entity, 1.0)


MENTIONS = [_mention(chunk, entity) for chunk, inside in enumerate(INSIDE) for entity in inside.split()]
DOCUMENTS = {f"d{number}": f"{number}.pdf" for number in range(3)}


def _entity(number: int) -> Entity:
    own = [mention for mention in MENTIONS if mention.entity_id == f"e{number}"]
    documents = len({mention.document_id for mention in own})
    return Entity(f"e{number}", "b", f"Entity {number}", TYPES[number % 2], (), len(own), documents)


FOUND = {f"e{number}": _entity(number) for number in range(7)}
SPREAD = {id: {each.document_id for each in MENTIONS if each.entity_id == id} for id in FOUND}
NETWORK = Network(
    Cooccurrence({id: pack(each for each in MENTIONS if each.document_id == id) for id in DOCUMENTS}),
    (Relation("e0", "e3", "founded", 0.9, (("d0", 1),)),),
)


class Edited:
    """The graph of MENTIONS after edits, put together of the same parts as the one in SQL."""

    def __init__(self, log: Sequence[GraphEdit]) -> None:
        self.resolved: Resolution = resolve(log, FOUND.keys())
        places = [(f"d{int(chunk[1]) // 3}", int(chunk[1]) % 3, *pair) for chunk, *pair in self.resolved.rejected]
        shown = [id for id in FOUND if self.resolved.of(id) == id]
        self.entities = [joined_entity(self.resolved, id, FOUND, SPREAD) for id in shown]
        network = NETWORK.resolved(self.resolved, places)  # type: ignore[arg-type]  # (document, place, two ids)
        self.relations = network.relations(shown)

    def resolution(self, _base_id: str) -> Resolution:
        return self.resolved

    def every(self, _base_id: str) -> list[Entity]:
        return self.entities

    def all(self, base_id: str) -> Iterator[tuple[Entity, list[Mention]]]:
        own: dict[str, list[Mention]] = {}
        for mention in MENTIONS:
            own.setdefault(self.resolved.of(mention.entity_id), []).append(mention)
        return ((entity, own[entity.id]) for entity in self.every(base_id))

    def stated_relations(self, _base_id: str) -> Iterator[Relation]:
        return (each for each in self.relations if each.relation != CO_OCCURS)

    def relations_between(self, entity_ids: Sequence[str]) -> list[Relation]:
        assert set(entity_ids) == {entity.id for entity in self.entities}
        return self.relations


def sequences() -> Iterator[tuple[int, Edited, Any]]:
    labels = [SimpleNamespace(id=id, name=name, parser="sample") for id, name in DOCUMENTS.items()]
    library = SimpleNamespace(documents=SimpleNamespace(of_base=lambda _: labels))
    undrawn = SimpleNamespace(whole=lambda _: whole_graph("", (), Network(Cooccurrence({})), {}))
    for seed in range(SEQUENCES):
        editor = Editor(seed, list(FOUND.values()), [f"c{chunk}" for chunk in range(len(INSIDE))])
        log = [editor.next() for _ in range(10)]
        log.pop(editor.choose(range(len(log))))  # undone
        graph = Edited(log)
        yield seed, graph, SimpleNamespace(graph=graph, graph_edits=graph, library=library, whole_graphs=undrawn)


def test_after_a_thousand_sequences_of_edits_every_export_says_what_mentions_and_evidence_say() -> None:
    for seed, graph, opened in sequences():
        shown = {entity.id: (entity, mentions) for entity, mentions in graph.all("b")}
        kept = [each.id for _, mentions in shown.values() for each in mentions]
        left = [each.id for each in MENTIONS if each.entity_id not in graph.resolved.removed]
        assert sorted(kept) == sorted(left), seed
        assert all(entity.mentions == len(mentions) for entity, mentions in shown.values()), seed
        nodes_and_edges(seed, graph, opened)
        table(seed, graph, opened)
        if not seed % WITH_GRAPHML:
            drawing(seed, graph, opened)


def nodes_and_edges(seed: int, graph: Edited, opened: Any) -> None:
    """Read back as an import reads them. Entities with one name and type are one there."""
    nodes = read_nodes("".join(nodes_json(opened, "b")).encode())
    names = {node.id: (node.name, node.type) for node in nodes}
    entities = {entity.id: (entity.name, entity.type) for entity in graph.every("b")}
    assert len(set(names.values())) == len(nodes), seed
    assert set(names.values()) == set(entities.values()), seed
    rows = read_edges("".join(edges_json(opened, "b")).encode(), nodes)
    relations = graph.relations_between(list(entities))
    wanted = {
        (*_ends(entities[each.source_id], entities[each.target_id], each.relation), DOCUMENTS[document], page)
        for each in relations
        for document, page in each.pages
        if entities[each.source_id] != entities[each.target_id]
    }
    found = {(*_ends(names[row.source], names[row.target], row.relation), row.doc_id, row.page) for row in rows}
    assert found == wanted, seed


Named = tuple[str, str]


def _ends(one: Named, other: Named, relation: str) -> tuple[Named, Named, str]:
    """What is counted has no direction."""
    first, second = sorted((one, other)) if relation == CO_OCCURS else (one, other)
    return first, second, relation


def table(seed: int, graph: Edited, opened: Any) -> None:
    rows = list(csv.reader(StringIO(entities_csv(opened, "b").decode("utf-8-sig"))))[1:]
    assert [(id, name, type, int(mentions)) for id, name, type, _, mentions, _ in rows] == [
        (entity.id, entity.name, entity.type, entity.mentions) for entity in graph.every("b")
    ], seed


def drawing(seed: int, graph: Edited, opened: Any) -> None:
    root = ElementTree.fromstring(EXPORTS[ExportFormat.GRAPHML].whole(opened, "b"))
    ids = [node.get("id") for node in root.iter(f"{XML}node")]
    assert ids == [entity.id for entity in graph.every("b")], seed
    edges = [sorted((edge.get("source", ""), edge.get("target", ""))) for edge in root.iter(f"{XML}edge")]
    relations = graph.relations_between([entity.id for entity in graph.every("b")])
    assert sorted(edges) == sorted(sorted((each.source_id, each.target_id)) for each in relations), seed
