"""The whole graph of a base as files for other programs; each is made when somebody asks for it."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from core.documents.ports.library import Library
from core.graph.files import csv_files, network_files
from core.graph.files.edit_files import EDITS, MAX_EDITS, edit_rows
from core.graph.files.file_rows import edge_rows, json_blocks, node_rows
from core.graph.files.import_documents import PARSER
from core.graph.files.json_files import EDGES, NODES
from core.graph.files.json_ld import linked_data
from core.graph.files.turtle import turtle
from core.graph.model import Entity, Relation
from core.graph.ports import GraphEdits, KnowledgeGraph
from core.platform.plain_text import label


class Stores(Protocol):
    """The present graph, or one of the past."""

    @property
    def graph(self) -> KnowledgeGraph: ...

    @property
    def graph_edits(self) -> GraphEdits: ...

    @property
    def library(self) -> Library: ...


class ExportFormat(StrEnum):
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
    make: Callable[[Stores, str], str | bytes | Iterator[str]]
    """In pieces where the file can be as large as a graph has pairs."""

    def whole(self, stores: Stores, base_id: str) -> str | bytes:
        made = self.make(stores, base_id)
        return made if isinstance(made, str | bytes) else "".join(made)


def nodes_json(stores: Stores, base_id: str) -> Iterator[str]:
    return json_blocks(written_nodes(stores, base_id))


def edges_json(stores: Stores, base_id: str) -> Iterator[str]:
    return json_blocks(written_edges(stores, base_id))


def written_nodes(stores: Stores, base_id: str) -> list[dict[str, object]]:
    return node_rows(list(stores.graph.all(base_id)), _labels(stores, base_id))


def written_edges(stores: Stores, base_id: str) -> Iterator[dict[str, object]]:
    """All that the rows are made of is read at once; they are made one by one."""
    graph = list(stores.graph.all(base_id))
    labels = _labels(stores, base_id)
    stated = list(stores.graph.stated_relations(base_id))
    rejected = stores.graph_edits.resolution(base_id).rejected
    imported = {it.id for it in stores.library.documents.of_base(base_id) if it.parser == PARSER}
    return edge_rows(graph, labels, stated, rejected, imported)


def jsonld(stores: Stores, base_id: str) -> str:
    """Linked data in the words of schema.org; nothing has to be fetched to read it."""
    return json.dumps(linked_data(*_whole(stores, base_id)), ensure_ascii=False, indent=1)


def turtle_file(stores: Stores, base_id: str) -> Iterator[str]:
    """The same in Turtle."""
    return turtle(*_whole(stores, base_id))


def graphml(stores: Stores, base_id: str) -> bytes:
    return network_files.graphml(*_whole(stores, base_id))


def gexf(stores: Stores, base_id: str) -> bytes:
    return network_files.gexf(*_whole(stores, base_id))


def entities_csv(stores: Stores, base_id: str) -> bytes:
    return csv_files.entities_csv(stores.graph.every(base_id))


def relations_csv(stores: Stores, base_id: str) -> bytes:
    entities, relations = _whole(stores, base_id)
    return csv_files.relations_csv(relations, {entity.id: label(entity.name) for entity in entities})


def edits_json(stores: Stores, base_id: str) -> Iterator[str]:
    return json_blocks(edit_rows(stores.graph_edits.log(base_id, MAX_EDITS)))


def _labels(stores: Stores, base_id: str) -> dict[str, str]:
    return {document.id: document.name for document in stores.library.documents.of_base(base_id)}


def _whole(stores: Stores, base_id: str) -> tuple[list[Entity], list[Relation]]:
    entities = stores.graph.every(base_id)
    return entities, stores.graph.relations_between([entity.id for entity in entities])


EXPORTS: Mapping[ExportFormat, Export] = {
    ExportFormat.NODES: Export(NODES, "application/json", nodes_json),
    ExportFormat.EDGES: Export(EDGES, "application/json", edges_json),
    ExportFormat.GRAPHML: Export("kg_graph.graphml", "application/xml", graphml),
    ExportFormat.GEXF: Export("kg_graph.gexf", "application/xml", gexf),
    ExportFormat.JSONLD: Export("kg_graph.jsonld", "application/ld+json", jsonld),
    ExportFormat.TURTLE: Export("kg_graph.ttl", "text/turtle", turtle_file),
    ExportFormat.ENTITIES_CSV: Export("kg_entities.csv", "text/csv", entities_csv),
    ExportFormat.RELATIONS_CSV: Export("kg_relations.csv", "text/csv", relations_csv),
    ExportFormat.EDITS: Export(EDITS, "application/json", edits_json),
}
"""What the page and programs can take away, in the order of the page's buttons."""
