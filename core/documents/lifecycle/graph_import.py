"""Imports a graph from kg_nodes.json and kg_edges.json into a knowledge base, one document per source."""

from collections import defaultdict
from dataclasses import dataclass
from hashlib import sha256

from core.documents.ports.documents import Documents
from core.documents.ports.publishing import NewDocument, Publication, Publications
from core.graph.files.import_documents import PARSER, ImportedGraph
from core.graph.files.json_files import read_edges, read_nodes
from core.graph.network.cooccurrence import CO_OCCURS
from core.graph.ports import KnowledgeGraph
from core.platform.identity import Role
from core.search.ports import IndexEntry, LexicalIndex

MEDIA_TYPE = "application/json"
PREVIEWED = 8
"""New entities that a preview names."""


@dataclass(frozen=True, slots=True)
class Imported:
    """Counts of an import."""

    nodes: int
    """Entities."""
    edges: int
    """Relations, each once however many pages state it."""
    documents: int


@dataclass(frozen=True, slots=True)
class ImportPreview:
    """Counts of an import before it is made."""

    new: int
    """Entities that the graph does not have yet."""
    known: int
    """Entities that it has already; they get further mentions."""
    stated: int
    """Stated relations, not those of co-occurrence, each once."""
    documents: int
    names: tuple[str, ...]
    """Names of the first new entities."""


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
        graph = ImportedGraph(base_id, node_rows, edge_rows)
        names = {graph.entity_ids[row.id]: row.name for row in reversed(node_rows)}
        new = [names[id] for id in dict.fromkeys(graph.entity_ids.values()) if id not in there]
        stated = sum(relation != CO_OCCURS for _, _, relation in graph.relations())
        return ImportPreview(len(new), len(names) - len(new), stated, len(graph.sources), tuple(new[:PREVIEWED]))

    def take(self, base_id: str, nodes: bytes, edges: bytes) -> Imported:
        """Atomic; importing the same files again changes nothing.

        The word index is filled first; search ignores entries that the database does not list.
        Raises InputError that names the row and the mistake.
        """
        self._documents.require(base_id, Role.EDITOR)
        node_rows = read_nodes(nodes)
        graph = ImportedGraph(base_id, node_rows, read_edges(edges, node_rows))
        content = sha256(nodes + b"\0" + edges).digest()
        made: list[tuple[NewDocument, Publication]] = []
        for source in graph.sources:
            digest = sha256(source.encode("utf-8", "surrogatepass") + b"\0" + content).hexdigest()
            name = source if source.strip() else PARSER
            new = NewDocument(base_id, name, digest, len(nodes) + len(edges), MEDIA_TYPE)
            made.append((new, graph.publication(new.id, source)))
        entries: defaultdict[str, list[IndexEntry]] = defaultdict(list)
        for _, each in made:
            for level, found in each.index_entries().items():
                entries[level] += found
        for level, found in entries.items():
            self._lexical_index.upsert(base_id, level, found)
        self._publications.publish_new(made)
        return Imported(len({*graph.entity_ids.values()}), len(graph.relations()), len(graph.sources))
