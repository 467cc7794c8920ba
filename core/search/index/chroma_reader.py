"""Reads one state of a Chroma database: collections, and small sets of their vectors."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import chromadb
from chromadb.api import ClientAPI
from chromadb.errors import NotFoundError

from core.models.ports import Embedder
from core.search.index import exact_search as scan
from core.search.index.errors import IndexMissingError
from core.search.index.exact_search import Scan

KEPT = 8
"""Scans kept in memory."""
FEW = 3
"""Documents scanned one by one."""
_COLLECTIONS = 64


class ChromaReader:
    """A client with caches, valid until the database changes."""

    def __init__(self, client: ClientAPI, embedder: Embedder) -> None:
        self.client = client
        self._embedder = embedder
        self.collection = lru_cache(_COLLECTIONS)(self._collection)
        self.count = lru_cache(_COLLECTIONS)(self._count)
        self._scan = lru_cache(KEPT)(self._read)

    def scanned(
        self, name: str, vector: Sequence[float], limit: int, documents: Sequence[str]
    ) -> list[tuple[str, float]] | None:
        """Like Scan.search; None if that would need too many vectors."""
        asked = dict.fromkeys(documents)
        if whole := self.whole(name):
            return whole.search(vector, limit, asked)
        if not 0 < len(asked) <= FEW:
            return None
        found: list[tuple[str, float]] = []
        for document in asked:
            if not (scan := self._scan(name, document)):
                return None
            found += scan.search(vector, limit)
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:limit]

    def whole(self, name: str) -> Scan | None:
        """All of a small collection; None if that would need too many vectors."""
        return self._scan(name, "")

    def cosines(self, name: str, vector: Any, ids: Sequence[str]) -> dict[str, float]:
        """Cosines of those ids that a small collection has."""
        whole = self.whole(name)
        return whole.cosines(vector, ids) if whole else {}

    def _collection(self, name: str) -> chromadb.Collection:
        try:
            return self.client.get_collection(name, embedding_function=None)
        except NotFoundError:
            raise IndexMissingError("retrieval.index_missing") from None

    def _count(self, name: str) -> int:
        return int(self.collection(name).count())

    def _read(self, name: str, document: str) -> Scan | None:
        """Vectors of one document, or of all with ""; None for too many entries.

        Raises ChromaError for a lost vector.
        """
        collection = self.collection(name)
        if not document and collection.count() > scan.SCANNED:
            return None
        where: Any = {"document_id": document} if document else None
        found: Any = collection.get(where=where, limit=scan.SCANNED + 1, include=["embeddings", "metadatas"])
        if len(found["ids"]) > scan.SCANNED:
            return None
        documents = [each["document_id"] for each in found["metadatas"]]
        return Scan(found["ids"], documents, found["embeddings"], self._embedder.dimension)
