"""The whole graph of a base as files for other programs; each is made when somebody asks for it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from io import StringIO
from typing import Protocol

from core.domain.knowledge import Entity, Relation
from core.domain.plain_text import label
from core.kg import csv_files, network_files
from core.kg.edit_files import EDITS, MAX_EDITS, edit_rows
from core.kg.files import EDGES, NODES, edge_rows, node_rows, write_rows
from core.kg.linked_data import linked_data
from core.kg.turtle import turtle
from core.ports.graph import GraphEdits, KnowledgeGraph
from core.ports.library import Library


class Stores(Protocol):
    """The present graph, or one of the past."""

    @property
    def graph(self) -> KnowledgeGraph: ...

    @property
    def graph_edits(self) -> GraphEdits: ...

    @property
    def library(self) -> Library: ...


class Format(StrEnum):
    NODES = "nodes"
    EDGES = "edges"
    GRAPHML = "graphml"
    GEXF = "gexf"
    JSONLD = "jsonld"
    TURTLE = "turtle"
    ENTITIES_CSV = "entities_csv"
    RELATIONS_CSV = "relations_csv"
    EDITS = "edits"


@dataclass(frozen=True, slots=True)
class Export:
    name: str
    """Of the file."""
    media_type: str
    make: Callable[[Stores, str], str | bytes]


def nodes_json(stores: Stores, base_id: str) -> str:
    text = StringIO()
    write_rows(node_rows(list(stores.graph.all(base_id)), _labels(stores, base_id)), text.write)
    return text.getvalue()


def edges_json(stores: Stores, base_id: str) -> str:
    text = StringIO()
    graph = list(stores.graph.all(base_id))
    stated = stores.graph.relations_between([entity.id for entity, _ in graph])
    rejected = stores.graph_edits.resolution(base_id).rejected
    write_rows(edge_rows(graph, _labels(stores, base_id), stated, rejected), text.write)
    return text.getvalue()


def jsonld(stores: Stores, base_id: str) -> str:
    """Linked data in the words of schema.org; nothing has to be fetched to read it."""
    return json.dumps(linked_data(*_whole(stores, base_id)), ensure_ascii=False, indent=1)


def turtle_file(stores: Stores, base_id: str) -> str:
    """The same in Turtle."""
    return "".join(turtle(*_whole(stores, base_id)))


def graphml(stores: Stores, base_id: str) -> bytes:
    return network_files.graphml(*_whole(stores, base_id))


def gexf(stores: Stores, base_id: str) -> bytes:
    return network_files.gexf(*_whole(stores, base_id))


def entities_csv(stores: Stores, base_id: str) -> bytes:
    return csv_files.entities_csv(stores.graph.every(base_id))


def relations_csv(stores: Stores, base_id: str) -> bytes:
    entities, relations = _whole(stores, base_id)
    return csv_files.relations_csv(relations, {entity.id: label(entity.name) for entity in entities})


def edits_json(stores: Stores, base_id: str) -> str:
    text = StringIO()
    write_rows(edit_rows(stores.graph_edits.log(base_id, MAX_EDITS)), text.write)
    return text.getvalue()


def _labels(stores: Stores, base_id: str) -> dict[str, str]:
    return {document.id: document.name for document in stores.library.documents.of_base(base_id)}


def _whole(stores: Stores, base_id: str) -> tuple[list[Entity], list[Relation]]:
    entities = stores.graph.every(base_id)
    return entities, stores.graph.relations_between([entity.id for entity in entities])


EXPORTS: Mapping[Format, Export] = {
    Format.NODES: Export(NODES, "application/json", nodes_json),
    Format.EDGES: Export(EDGES, "application/json", edges_json),
    Format.GRAPHML: Export("kg_graph.graphml", "application/xml", graphml),
    Format.GEXF: Export("kg_graph.gexf", "application/xml", gexf),
    Format.JSONLD: Export("kg_graph.jsonld", "application/ld+json", jsonld),
    Format.TURTLE: Export("kg_graph.ttl", "text/turtle", turtle_file),
    Format.ENTITIES_CSV: Export("kg_entities.csv", "text/csv", entities_csv),
    Format.RELATIONS_CSV: Export("kg_relations.csv", "text/csv", relations_csv),
    Format.EDITS: Export(EDITS, "application/json", edits_json),
}
"""What the page and programs can take away, in the order of the page's buttons."""
