"""Reads one state of a Chroma database: collections, and small sets of vectors in memory, searched exactly."""

from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np

from core.adapters.search.chroma_loading import lean_imports
from core.errors import ServiceError

with lean_imports():
    import chromadb
    from chromadb.api import ClientAPI
    from chromadb.errors import NotFoundError

SCANNED = 2_000
"""Entries of a base or a document held in memory: loaded once in 0.15 s, then scanned in 0.2 ms."""
KEPT = 8
"""Scans kept in memory."""
FEW = 3
"""Documents scanned one by one."""
_COLLECTIONS = 64


class Scan:
    """Entries with their unit vectors; immutable."""

    def __init__(self, ids: Sequence[str], documents: Sequence[str], vectors: Sequence[Sequence[float]]) -> None:
        order = sorted(range(len(ids)), key=ids.__getitem__)
        self._entries = [(ids[place], documents[place]) for place in order]
        self._places = {id: place for place, (id, _) in enumerate(self._entries)}
        self._vectors = np.asarray(vectors, dtype=np.float32)[order]

    def search(self, vector: Sequence[float], limit: int, documents: Collection[str] = ()) -> list[tuple[str, float]]:
        """(id, cosine), best first, ties by id; of all documents if none are given."""
        if not self._entries:
            return []
        cosines = self._vectors @ np.asarray(vector, dtype=np.float32)
        ranked = np.argsort(-cosines, kind="stable").tolist()
        inside = (place for place in ranked if not documents or self._entries[place][1] in documents)
        return [(self._entries[place][0], float(cosines[place])) for place in islice(inside, limit)]

    def cosines(self, vector: Any, ids: Sequence[str]) -> dict[str, float]:
        """Of those ids that it holds."""
        held = [id for id in ids if id in self._places]
        found = self._vectors[[self._places[id] for id in held]] @ np.asarray(vector, dtype=np.float32)
        return dict(zip(held, found.tolist(), strict=True))


class ChromaReader:
    """One opening of a client. Its caches are as old as the client, so a change of the database needs a new one."""

    def __init__(self, client: ClientAPI) -> None:
        self.client = client
        self.collection = lru_cache(_COLLECTIONS)(self._collection)
        self.count = lru_cache(_COLLECTIONS)(self._count)
        self._scan = lru_cache(KEPT)(self._read)

    def scanned(
        self, name: str, vector: Sequence[float], limit: int, documents: Sequence[str]
    ) -> list[tuple[str, float]] | None:
        """Like Scan.search; None if that would need too many vectors."""
        asked = dict.fromkeys(documents)
        if whole := self._scan(name, ""):
            return whole.search(vector, limit, asked)
        if not 0 < len(asked) <= FEW:
            return None
        found: list[tuple[str, float]] = []
        for document in asked:
            if not (scan := self._scan(name, document)):
                return None
            found += scan.search(vector, limit)
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:limit]

    def cosines(self, name: str, vector: Any, ids: Sequence[str]) -> dict[str, float]:
        """Of those entries of a small collection that it has."""
        whole = self._scan(name, "")
        return whole.cosines(vector, ids) if whole else {}

    def _collection(self, name: str) -> chromadb.Collection:
        try:
            return self.client.get_collection(name, embedding_function=None)
        except NotFoundError:
            raise ServiceError("retrieval.index_missing") from None

    def _count(self, name: str) -> int:
        return int(self.collection(name).count())

    def _read(self, name: str, document: str) -> Scan | None:
        """Vectors of one document, or of all with ""; None for too many entries.

        Raises ChromaError for a lost vector.
        """
        collection = self.collection(name)
        if not document and collection.count() > SCANNED:
            return None
        where: Any = {"document_id": document} if document else None
        found: Any = collection.get(where=where, limit=SCANNED + 1, include=["embeddings", "metadatas"])
        if len(found["ids"]) > SCANNED:
            return None
        return Scan(found["ids"], [each["document_id"] for each in found["metadatas"]], found["embeddings"])
