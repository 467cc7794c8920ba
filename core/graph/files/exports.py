"""The whole graph of a base as files for other programs; each is made when somebody asks for it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Protocol

from core.documents.ports.library import Library
from core.graph.files import network_files, picture
from core.graph.files.file_rows import BLOCK, edge_rows, json_blocks, node_rows
from core.graph.files.import_documents import PARSER
from core.graph.files.json_files import EDGES, EDITS, MAX_EDITS, NODES, edit_rows
from core.graph.files.linked_data import json_ld, turtle
from core.graph.files.network_files import NetworkFile, gexf, graphml
from core.graph.files.picture import radius_of
from core.graph.files.pyvis_view import spread
from core.graph.layout.view_layout import FORCE, positions_of
from core.graph.model import Entity, Relation
from core.graph.ports import GraphEdits, KnowledgeGraph, WholeGraphs
from core.graph.scope import GraphScope, shown
from core.platform.plain_text import label


class Stores(Protocol):
    """The present graph, or one of the past."""

    @property
    def graph(self) -> KnowledgeGraph: ...

    @property
    def graph_edits(self) -> GraphEdits: ...

    @property
    def library(self) -> Library: ...


class DrawnStores(Stores, Protocol):
    """The stores of a graph with the places that a drawing gives to entities."""

    @property
    def whole_graphs(self) -> WholeGraphs: ...


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
    VOCABULARY = "vocabulary"
    SVG = "svg"
    PNG = "png"
    HTML = "html"


Made = str | bytes | Iterator[str]
PICTURES = (ExportFormat.SVG, ExportFormat.PNG, ExportFormat.HTML)
"""Formats of a part of the graph, by default the most central one."""
CENTRAL = GraphScope()
VOCABULARY = Path(__file__).with_name("vocabulary.ttl")


@dataclass(frozen=True, slots=True)
class Export:
    name: str
    """Name of the file."""
    media_type: str
    make: Callable[[DrawnStores, str], Made]
    """Makes the file, in pieces if it can be as large as a graph has pairs."""

    def whole(self, stores: DrawnStores, base_id: str) -> str | bytes:
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


def vocabulary(stores: Stores, base_id: str) -> str:
    """The definitions of the words of the linked data; the same for every graph."""
    del stores, base_id
    return VOCABULARY.read_text(encoding="utf-8")


def drawing(
    form: ExportFormat,
    stores: Stores,
    base_id: str,
    scope: GraphScope = CENTRAL,
    language: str = "en",
    layout: str = FORCE,
) -> str | bytes:
    """form: one of PICTURES; layout: one of LAYOUTS."""
    part = shown(stores.graph, base_id, scope)
    title = label(stores.library.bases.get(base_id).name)
    most = max((entity.mentions for entity in part.view.entities), default=1) or 1
    places = spread(positions_of(part, layout), [2 * radius_of(entity.mentions, most) for entity in part.view.entities])
    given = part.view, places, part.lines, title, language
    if form is ExportFormat.HTML:
        return picture.page(*given)
    made = picture.svg(*given)
    return picture.png(made) if form is ExportFormat.PNG else made


def entities_csv(stores: Stores, base_id: str) -> bytes:
    return network_files.entities_csv(stores.graph.every(base_id))


def relations_csv(stores: Stores, base_id: str) -> bytes:
    entities, relations = _whole(stores, base_id)
    return network_files.relations_csv(relations, {entity.id: label(entity.name) for entity in entities})


def edits_json(stores: Stores, base_id: str) -> Iterator[str]:
    return json_blocks(edit_rows(stores.graph_edits.log(base_id, MAX_EDITS)))


def _labels(stores: Stores, base_id: str) -> dict[str, str]:
    return {document.id: document.name for document in stores.library.documents.of_base(base_id)}


def _written(
    write: Callable[[NetworkFile], str | Iterator[str]], stores: DrawnStores, base_id: str
) -> str | Iterator[str]:
    """The whole graph as write() makes a file of it."""
    return write(_network(stores, base_id))


def _network(stores: DrawnStores, base_id: str) -> NetworkFile:
    entities, relations = _whole(stores, base_id)
    whole = stores.whole_graphs.whole(base_id)
    ids = [entity.id for entity in whole.entities]
    return NetworkFile(
        entities,
        _with_sentences(stores, relations),
        _labels(stores, base_id),
        dict(zip(ids, zip(whole.x, whole.y, strict=True), strict=True)),
        dict(zip(ids, whole.links, strict=True)),
        dict(zip(ids, whole.centrality, strict=True)),
    )


def _with_sentences(stores: Stores, relations: Sequence[Relation]) -> Iterator[tuple[Relation, str]]:
    """Relations, each with the first sentence that states it; passages are read in blocks."""
    left = iter(relations)
    while block := list(islice(left, BLOCK)):
        chunk_ids = {each.sayings[0].chunk_id for each in block if each.sayings}
        found = stores.library.passages.get(list(chunk_ids)) if chunk_ids else []
        texts = {passage.chunk.id: passage.chunk.text for passage in found}
        for each in block:
            said = each.sayings[0] if each.sayings else None
            yield each, " ".join(texts.get(said.chunk_id, "")[slice(*said.span)].split()) if said else ""


def _whole(stores: Stores, base_id: str) -> tuple[list[Entity], list[Relation]]:
    entities = stores.graph.every(base_id)
    return entities, stores.graph.relations_between([entity.id for entity in entities])


EXPORTS: Mapping[ExportFormat, Export] = {
    ExportFormat.NODES: Export(NODES, "application/json", nodes_json),
    ExportFormat.EDGES: Export(EDGES, "application/json", edges_json),
    ExportFormat.GRAPHML: Export("kg_graph.graphml", "application/xml", partial(_written, graphml)),
    ExportFormat.GEXF: Export("kg_graph.gexf", "application/xml", partial(_written, gexf)),
    ExportFormat.JSONLD: Export("kg_graph.jsonld", "application/ld+json", partial(_written, json_ld)),
    ExportFormat.TURTLE: Export("kg_graph.ttl", "text/turtle", partial(_written, turtle)),
    ExportFormat.ENTITIES_CSV: Export("kg_entities.csv", "text/csv", entities_csv),
    ExportFormat.RELATIONS_CSV: Export("kg_relations.csv", "text/csv", relations_csv),
    ExportFormat.EDITS: Export(EDITS, "application/json", edits_json),
    ExportFormat.VOCABULARY: Export("kg_vocabulary.ttl", "text/turtle", vocabulary),
    ExportFormat.SVG: Export("kg_view.svg", "image/svg+xml", partial(drawing, ExportFormat.SVG)),
    ExportFormat.PNG: Export("kg_view.png", "image/png", partial(drawing, ExportFormat.PNG)),
    ExportFormat.HTML: Export("kg_view.html", "text/html", partial(drawing, ExportFormat.HTML)),
}
"""What the page and programs can export, in the order of the page's buttons."""
