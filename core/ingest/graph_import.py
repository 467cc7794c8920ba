"""A graph that came as kg_nodes.json and kg_edges.json, taken into a knowledge base: a document a source."""

from dataclasses import dataclass
from hashlib import sha256

from core.ingest.entries import index_entries
from core.kg.files import read_edges, read_nodes
from core.kg.imported import publication, sources
from core.ports import ChunkIndex, LexicalIndex, Library

MEDIA_TYPE = "application/json"


@dataclass(frozen=True, slots=True)
class Imported:
    nodes: int
    edges: int
    documents: int


class GraphImport:
    def __init__(self, library: Library, indexes: tuple[ChunkIndex, LexicalIndex]) -> None:
        self._library = library
        self._indexes = indexes

    def take(self, base_id: str, nodes: bytes, edges: bytes) -> Imported:
        """The same files again change nothing. Raises InputError that names the row and what is wrong with it."""
        node_rows = read_nodes(nodes)
        edge_rows = read_edges(edges, node_rows)
        found = sources(node_rows, edge_rows)
        for source in found:
            digest = sha256(b"\0".join([source.encode("utf-8", "surrogatepass"), nodes, edges])).hexdigest()
            size = len(nodes) + len(edges)
            document, _ = self._library.add_document(base_id, source, digest, size, MEDIA_TYPE)
            made = publication(base_id, document.id, source, node_rows, edge_rows)
            for index in self._indexes:
                index.delete_documents(base_id, [document.id])
                for level, entries in index_entries(made).items():
                    index.upsert(base_id, level, entries)
            self._library.publish(made)
        return Imported(len(node_rows), len(edge_rows), len(found))
