"""What is known of one state of a Chroma database: collections, and small sets of their vectors."""

from typing import Any

import chromadb
from chromadb.api import ClientAPI
from chromadb.errors import NotFoundError

from core.models.ports import Embedder
from core.search.index import exact_search as scan
from core.search.index.errors import IndexMissingError, damaged
from core.search.index.exact_search import Scan

KEPT = 8
"""Scans kept in memory."""
_COSINE: Any = {"hnsw": {"space": "cosine", "ef_search": 400}}
"""ef_search: candidates a search keeps; with Chroma's default of 100 it misses one in eight of the nearest ten."""


class ChromaReader:
    """A client with caches, valid until the database changes."""

    def __init__(self, client: ClientAPI, embedder: Embedder, broken: set[str]) -> None:
        self.client = client
        self._embedder = embedder
        self.broken = broken
        """Names of collections that may not be used: their graphs end the process."""
        self.counts: dict[str, int] = {}
        """Vectors by collection."""
        self.scans: dict[tuple[str, str], tuple[Scan | None]] = {}
        """By collection and document, as of scan()."""

    def collection(self, name: str) -> chromadb.Collection:
        """Raises IndexMissingError, and ServiceError if it is damaged."""
        self._check(name)
        try:
            return self.client.get_collection(name, embedding_function=None)
        except NotFoundError:
            raise IndexMissingError("retrieval.index_missing") from None

    def made(self, name: str) -> chromadb.Collection:
        """The collection, made if there is none. Raises ServiceError if it is damaged."""
        self._check(name)
        return self.client.get_or_create_collection(name, configuration=_COSINE, embedding_function=None)

    def count(self, name: str) -> int:
        self.counts[name] = count = int(self.collection(name).count())
        return count

    def scan(self, name: str, document: str) -> Scan | None:
        """Vectors of one document, or of all with ""; None for too many entries.

        Raises ChromaError for a lost vector.
        """
        found = self._read(name, document)
        if len(self.scans) >= KEPT:
            self.scans.pop(next(iter(self.scans)), None)
        self.scans[name, document] = (found,)
        return found

    def _check(self, name: str) -> None:
        if name in self.broken:
            raise damaged("wrong sizes or links in its graph")

    def _read(self, name: str, document: str) -> Scan | None:
        collection = self.collection(name)
        if not document and collection.count() > scan.SCANNED:
            return None
        where: Any = {"document_id": document} if document else None
        found: Any = collection.get(where=where, limit=scan.SCANNED + 1, include=["embeddings", "metadatas"])
        if len(found["ids"]) > scan.SCANNED:
            return None
        documents = [each["document_id"] for each in found["metadatas"]]
        return Scan(found["ids"], documents, found["embeddings"], self._embedder.dimension)
