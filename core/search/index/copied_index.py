"""A cache of the small collections of a Chroma folder, so that most questions are answered without loading Chroma."""

import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from core.models.ports import PassageEmbedder
from core.platform.ids import content_id
from core.search.index import exact_search as scan
from core.search.index.chroma_state import DATABASE, NOTHING, Stamp, stamp_of
from core.search.index.exact_search import Scan, read_scan, write_scan
from core.search.index.passage_vectors import AtHand, different, nearness_of, vectors_of
from core.search.ports import LEVELS, IndexEntry, Nearness, VectorProgress, VectorStore

if TYPE_CHECKING:
    from core.search.index.chroma_index import ChromaIndex

_KEPT = 8
"""Copies in memory."""


class CopiedIndex:
    """ChunkIndex. A copy is valid as long as it has every vector that the store knows of, made of the same text.

    It may also have vectors of deleted documents, which no search lists. Every change removes the copies of its base
    before it changes Chroma; the next search makes new ones.
    """

    def __init__(
        self, folder: Path, embedder: PassageEmbedder, store: VectorStore, load: "Callable[[], ChromaIndex]"
    ) -> None:
        """load: the index over Chroma in this folder, made once it is needed."""
        self._folder = folder
        self._database = folder / DATABASE
        self._embedder = embedder
        self._store = store
        self._load = load
        self._lock = Lock()
        self._seen: dict[tuple[str, str], tuple[Stamp, int, Scan | None]] = {}
        """By base and level: the state of Chroma's database, the number of vectors in the store, and the copy if there
        is one."""

    def upsert(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> None:
        self._forget(base_id)
        self._load().upsert(base_id, level, entries)

    def pending(self, base_id: str, limit: int) -> tuple[str, list[IndexEntry]]:
        return self._load().pending(base_id, limit)

    def progress(self, base_id: str, levels: Sequence[str] = LEVELS) -> VectorProgress:
        return self._store.progress(base_id, self._embedder.name, levels)

    def search(
        self, base_id: str, level: str, query: str, limit: int, documents: Sequence[str] = ()
    ) -> list[tuple[str, float]]:
        if limit <= 0:
            return []
        if copy := self._copy(base_id, level):
            return copy.search(self._embedder.embed_query(query), limit, dict.fromkeys(documents))
        return self._load().search(base_id, level, query, limit, documents)

    def nearness(self, base_id: str, level: str, query: str, ids: Sequence[str]) -> dict[str, Nearness]:
        if copy := self._copy(base_id, level):
            return nearness_of(
                self._store, self._embedder, query, ids, lambda vector, asked: AtHand(copy.cosines(vector, asked))
            )
        return self._load().nearness(base_id, level, query, ids)

    def differing(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> list[str]:
        """In Chroma, and in the copy, which may be read instead."""
        wrong = self._load().differing(base_id, level, entries)
        if copy := self._copy(base_id, level):
            ids = [entry.chunk_id for entry in entries]
            wrong += different(vectors_of(self._embedder, entries), copy.by_id(ids))
        return [*dict.fromkeys(wrong)]

    def delete_other_embedders(self, base_id: str) -> None:
        self._forget(base_id)
        self._load().delete_other_embedders(base_id)

    def delete_documents(self, base_id: str, document_ids: Sequence[str]) -> None:
        self._forget(base_id)
        self._load().delete_documents(base_id, document_ids)

    def delete_base(self, base_id: str) -> None:
        self._forget(base_id)
        self._load().delete_base(base_id)

    def count(self, base_id: str, level: str) -> int:
        copy = self._copy(base_id, level)
        return len(copy.entries) if copy else self._load().count(base_id, level)

    def _copy(self, base_id: str, level: str) -> Scan | None:
        """The copy of a collection, checked again after changes of Chroma's database or the store; None if it is large.

        Vectors are noted in the store after they are in Chroma.
        """
        with self._lock:
            stamp, made, found = stamp_of(self._database), self.progress(base_id, [level]).done, None
            *seen, copy = self._seen.pop((base_id, level), (NOTHING, 0, None))
            if stamp != NOTHING:
                found = copy if seen == [stamp, made] else self._current(base_id, level)
                self._seen[base_id, level] = (stamp, made, found)
            while len(self._seen) > _KEPT:
                del self._seen[next(iter(self._seen))]
            return found

    def _current(self, base_id: str, level: str) -> Scan | None:
        digests = self._store.digests(base_id, level, self._embedder.name, scan.SCANNED + 1)
        if not 0 < len(digests) <= scan.SCANNED:
            return None
        path = self._of(base_id) / f"{content_id(level, self._embedder.name)}.npy"
        kept = read_scan(path, self._embedder.dimension)
        if kept and digests.items() <= kept.digests.items():
            return kept.scan
        whole = self._load().whole(base_id, level)  # read after the digests: it is at least as new
        if whole:
            with suppress(FileNotFoundError):  # another process has just removed the copies of the base
                write_scan(path, whole, digests)
        return whole

    def _forget(self, base_id: str) -> None:
        with self._lock:
            for key in [key for key in self._seen if key[0] == base_id]:
                del self._seen[key]
            shutil.rmtree(self._of(base_id), ignore_errors=True)

    def _of(self, base_id: str) -> Path:
        return self._folder / "copies" / content_id(base_id)
