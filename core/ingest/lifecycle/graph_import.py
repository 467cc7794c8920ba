"""Imports a graph from kg_nodes.json and kg_edges.json into a knowledge base, one document per source."""

from dataclasses import dataclass
from hashlib import sha256

from core.ingest.pipeline.entries import index_entries
from core.kg.files import read_edges, read_nodes
from core.kg.imported import PARSER, publication, sources
from core.ports.publishing import NewDocument, Publications
from core.ports.search import LexicalIndex

MEDIA_TYPE = "application/json"


@dataclass(frozen=True, slots=True)
class Imported:
    nodes: int
    edges: int
    documents: int


class GraphImport:
    def __init__(self, publications: Publications, lexical_index: LexicalIndex) -> None:
        self._publications = publications
        self._lexical_index = lexical_index

    def take(self, base_id: str, nodes: bytes, edges: bytes) -> Imported:
        """Atomic; importing the same files again changes nothing.

        The word index is filled first; search ignores entries that the database does not list.
        Raises InputError that names the row and the mistake.
        """
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
