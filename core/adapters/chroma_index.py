"""Vectors of chunks and summaries in Chroma: in a folder of its own or on a server, rebuilt from SQL when lost."""

import re
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import urlsplit

import chromadb
from chromadb.api import ClientAPI
from chromadb.config import Settings
from chromadb.errors import ChromaError, NotFoundError

from core.adapters.index_errors import damaged, translated
from core.errors import ServiceError
from core.ports import Embedder, IndexEntry

LEVELS = ("chunks", "summaries")
BATCH = 1_000
"""Entries embedded and written at a time; Chroma takes up to 5,461."""
ASKED = 400
"""Documents named in one filter."""
_QUIET = Settings(anonymized_telemetry=False)
_COSINE: Any = {"hnsw": {"space": "cosine"}}


class ChromaIndex:
    """ChunkIndex; one collection a base, level and embedder. Embeddings are always made here, never by Chroma."""

    def __init__(self, folder: Path, embedder: Embedder, url: str = "") -> None:
        """url: of a Chroma server; empty keeps the vectors in the folder."""
        self._folder = folder
        self._embedder = embedder
        self._url = url
        self._opened: Any = None
        self._inode = 0
        """Of the database file when it was opened: another one means that the folder was replaced."""
        self._opening = Lock()

    def upsert(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> None:
        """Makes both levels of a new base, so that a missing one later means loss."""
        with self._translated():
            client = self._client(create=True)
            collections = {
                each: client.get_or_create_collection(
                    self._name(base_id, each), configuration=_COSINE, embedding_function=None
                )
                for each in LEVELS
            }
            for start in range(0, len(entries), BATCH):
                batch = entries[start : start + BATCH]
                collections[level].upsert(
                    ids=[entry.chunk_id for entry in batch],
                    embeddings=list(self._embedder.embed([_text(entry) for entry in batch])),
                    metadatas=[{"document_id": entry.document_id} for entry in batch],
                )

    def search(
        self, base_id: str, level: str, query: str, limit: int, documents: Sequence[str] = ()
    ) -> list[tuple[str, float]]:
        if limit <= 0:
            return []
        vector: Any = [self._embedder.embed_query(query)]
        with self._translated():
            collection = self._collection(base_id, level)
            where: Any = _inside(documents) if documents else None
            found = collection.query(query_embeddings=vector, n_results=limit, where=where, include=["distances"])
            hits = list(zip(found["ids"][0], (found["distances"] or [[]])[0], strict=True))
            if not documents and len(hits) < limit:
                _check_complete(len(hits), min(limit, collection.count()))
        return sorted(((id, 1.0 - float(distance)) for id, distance in hits), key=lambda hit: (-hit[1], hit[0]))

    def delete_documents(self, base_id: str, document_ids: Sequence[str]) -> None:
        with self._translated():
            for collection in self._collections(base_id):
                for start in range(0, len(document_ids), ASKED):
                    collection.delete(where=_inside(document_ids[start : start + ASKED]))

    def delete_base(self, base_id: str) -> None:
        """Collections of every embedder."""
        with self._translated():
            for collection in self._collections(base_id):
                self._client().delete_collection(collection.name)

    def count(self, base_id: str, level: str) -> int:
        with self._translated():
            return int(self._collection(base_id, level).count())

    def _collection(self, base_id: str, level: str) -> chromadb.Collection:
        try:
            client: ClientAPI = self._client()
            return client.get_collection(self._name(base_id, level), embedding_function=None)
        except NotFoundError:
            raise ServiceError("retrieval.index_missing") from None

    def _collections(self, base_id: str) -> Iterator[chromadb.Collection]:
        """All of a base; none when nothing was ever written."""
        if self._url or self._database.exists():
            client, prefix = self._client(), f"{_slug(base_id)}."
            for found in client.list_collections():
                if found.name.startswith(prefix):
                    yield client.get_collection(found.name, embedding_function=None)

    def _name(self, base_id: str, level: str) -> str:
        return f"{_slug(base_id)}.{level}.{_slug(self._embedder.name)}"

    @property
    def _database(self) -> Path:
        return self._folder / "chroma.sqlite3"

    def _client(self, create: bool = False) -> Any:
        """The open client. Raises ServiceError when the folder is not there and is not to be made."""
        with self._opening:
            inode = self._database.stat().st_ino if self._database.exists() else 0
            if self._opened and inode != self._inode and not self._url:
                self._opened.close()
                self._opened = None
            if self._opened is None:
                if not (inode or create or self._url):
                    raise ServiceError("retrieval.index_missing")
                self._opened = self._open()
                self._inode = self._database.stat().st_ino if self._database.exists() else 0
            return self._opened

    def _open(self) -> Any:
        if not self._url:
            self._folder.mkdir(parents=True, exist_ok=True)
            return chromadb.PersistentClient(path=str(self._folder), settings=_QUIET)
        parts = urlsplit(self._url)
        is_https = parts.scheme == "https"
        port = parts.port or (443 if is_https else 8000)
        return chromadb.HttpClient(host=parts.hostname or "localhost", port=port, ssl=is_https, settings=_QUIET)

    def _translated(self) -> Any:
        return translated(ChromaError, ValueError, OSError, RuntimeError)


def _check_complete(found: int, expected: int) -> None:
    """A lost vector file leaves the rows and finds next to nothing, without an error; the graph itself misses a few."""
    if 2 * found < expected:
        raise damaged(f"{found} of {expected} vectors found")


def _inside(documents: Sequence[str]) -> Any:
    return {"document_id": {"$in": list(documents)}}


def _text(entry: IndexEntry) -> str:
    return "\n".join(part for part in (entry.title, entry.section, entry.text) if part)


def _slug(name: str) -> str:
    """What Chroma allows in a name; a name that had to be changed gets a mark of its own."""
    slug = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-_")[:100]
    return slug if slug == name else f"{slug}-{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"
