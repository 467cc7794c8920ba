"""Imports a graph from kg_nodes.json and kg_edges.json into a knowledge base, one document per source."""

from dataclasses import dataclass
from hashlib import sha256

from core.ingest.pipeline.entries import index_entries
from core.kg.files import read_edges, read_nodes
from core.kg.imported import PARSER, publication, sources
from core.ports.documents import Documents
from core.ports.publishing import Publications
from core.ports.search import ChunkIndex, LexicalIndex

MEDIA_TYPE = "application/json"


@dataclass(frozen=True, slots=True)
class Imported:
    nodes: int
    edges: int
    documents: int


class GraphImport:
    def __init__(
        self, documents: Documents, publications: Publications, indexes: tuple[ChunkIndex, LexicalIndex]
    ) -> None:
        self._documents = documents
        self._publications = publications
        self._indexes = indexes
        self._lexical_index = indexes[1]

    def take(self, base_id: str, nodes: bytes, edges: bytes) -> Imported:
        """Importing the same files again changes nothing. Raises InputError that names the row and the mistake."""
        node_rows = read_nodes(nodes)
        edge_rows = read_edges(edges, node_rows)
        found = sources(node_rows, edge_rows)
        for source in found:
            digest = sha256(b"\0".join([source.encode("utf-8", "surrogatepass"), nodes, edges])).hexdigest()
            size = len(nodes) + len(edges)
            document, _ = self._documents.add(base_id, source.strip() or PARSER, digest, size, MEDIA_TYPE)
            made = publication(base_id, document.id, source, node_rows, edge_rows)
            for index in self._indexes:
                index.delete_documents(base_id, [document.id])
            for level, entries in index_entries(made).items():
                self._lexical_index.upsert(base_id, level, entries)
            self._publications.publish(made)
        return Imported(len(node_rows), len(edge_rows), len(found))
