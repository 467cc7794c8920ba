"""Imports a graph from kg_nodes.json and kg_edges.json into a knowledge base, one document per source."""

from dataclasses import dataclass
from hashlib import sha256

from core.domain.people import Role
from core.ingest.pipeline.entries import index_entries
from core.kg.files import CO_OCCURS, read_edges, read_nodes
from core.kg.imported import PARSER, publication, sources
from core.kg.naming import entity_id
from core.ports.documents import Documents
from core.ports.graph import KnowledgeGraph
from core.ports.publishing import NewDocument, Publications
from core.ports.search import LexicalIndex

MEDIA_TYPE = "application/json"
PREVIEWED = 8
"""New entities that a preview names."""


@dataclass(frozen=True, slots=True)
class Imported:
    nodes: int
    edges: int
    documents: int


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """What an import would do, before it does it."""

    new: int
    """Entities that the graph does not have yet."""
    known: int
    """Entities that it has: they get further mentions."""
    stated: int
    """Relations that are not counted but stated, each once."""
    documents: int
    names: tuple[str, ...]
    """Of the first new entities."""


class GraphImport:
    def __init__(
        self, documents: Documents, publications: Publications, lexical_index: LexicalIndex, graph: KnowledgeGraph
    ) -> None:
        self._documents = documents
        self._publications = publications
        self._lexical_index = lexical_index
        self._graph = graph

    def preview(self, base_id: str, nodes: bytes, edges: bytes) -> ImportPreview:
        """Changes nothing. Raises InputError as take() does."""
        node_rows = read_nodes(nodes)
        edge_rows = read_edges(edges, node_rows)
        there = {entity.id for entity in self._graph.every(base_id)}
        ids = {entity_id(base_id, row.name, row.type): row.name for row in node_rows}
        new = [name for id, name in ids.items() if id not in there]
        stated = {(row.source, row.target, row.relation) for row in edge_rows if row.relation != CO_OCCURS}
        documents = len(sources(node_rows, edge_rows))
        return ImportPreview(len(new), len(ids) - len(new), len(stated), documents, tuple(new[:PREVIEWED]))

    def take(self, base_id: str, nodes: bytes, edges: bytes) -> Imported:
        """Atomic; importing the same files again changes nothing.

        The word index is filled first; search ignores entries that the database does not list.
        Raises InputError that names the row and the mistake.
        """
        self._documents.require(base_id, Role.EDITOR)
        node_rows = read_nodes(nodes)
        edge_rows = read_edges(edges, node_rows)
        found = sources(node_rows, edge_rows)
        made = []
        for source in found:
            digest = sha256(b"\0".join([source.encode("utf-8", "surrogatepass"), nodes, edges])).hexdigest()
            new = NewDocument(base_id, source.strip() or PARSER, digest, len(nodes) + len(edges), MEDIA_TYPE)
            made.append((new, publication(base_id, new.id, source, node_rows, edge_rows)))
        for _, each in made:
            for level, entries in index_entries(each).items():
                self._lexical_index.upsert(base_id, level, entries)
        self._publications.publish_new(made)
        return Imported(len(node_rows), len(edge_rows), len(found))
