"""Vectors of chunks and summaries in Chroma, in a local folder or on a server; rebuilt from SQL if lost."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import chromadb

from core.models.ports import PassageEmbedder
from core.platform.errors import ServiceError, Translated
from core.search.index import exact_search as scan
from core.search.index.chroma_access import ChromaAccess
from core.search.index.errors import IndexMissingError, damaged
from core.search.index.exact_search import Scan
from core.search.index.passage_vectors import AtHand, different, nearness_of, same, vectors_of
from core.search.index.vector_file import VectorFile, VectorRow
from core.search.ports import LEVELS, IndexEntry, MadeVectors, Nearness, Sentences, VectorProgress, VectorStore

Answer = TypeVar("Answer")
BATCH = 1_000
"""Entries embedded and written at once; Chroma accepts up to 5,461."""
ASKED = 400
"""Documents per filter."""
SAMPLE = 4_000
"""Vectors fetched for counting: more than Chroma may keep outside its vector files."""
FEW = 3
"""Documents scanned one by one."""
FEW_MISSED = 0.1
MOST_MISSED = 0.5
MOST_COMPARED = 300_000
"""Vectors of a collection beyond which Chroma's graph is faster than comparing all of them."""


class ChromaIndex:
    """ChunkIndex; one collection a base, level and embedder. Embeddings are always made here, never by Chroma.

    The store records vectors after they are written and forgets them before they are deleted, so a crash causes
    repeated work, never missing vectors. A damaged graph, such as a killed process leaves, goes, and its vectors are
    pending again.
    """

    def __init__(self, folder: Path, embedder: PassageEmbedder, store: VectorStore, url: str = "") -> None:
        """`url` of a Chroma server; if empty, the vectors are kept in the folder."""
        self._folder = folder
        self._embedder = embedder
        self._store = store
        self._url = url
        self._chroma = ChromaAccess(folder, embedder, url)
        self._files: dict[str, VectorFile] = {}

    def upsert(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> None:
        name = self._name(base_id, level)
        for start in range(0, len(entries), BATCH):
            batch = entries[start : start + BATCH]
            with self._chroma.translated():
                made = vectors_of(self._embedder, batch)
            with self._chroma.alone(write=True) as chroma:
                collection = chroma.made(name)
                collection.upsert(
                    ids=[entry.chunk_id for entry in batch],
                    embeddings=[vector for vector, _ in made],
                    metadatas=[{"document_id": entry.document_id} for entry in batch],
                )
                self._keep_file(collection, _rows(made))
            self._store.keep(level, self._embedder.name, [kept for _, kept in made])

    def pending(self, base_id: str, limit: int) -> tuple[str, list[IndexEntry]]:
        self._drop_broken(base_id)
        for level in LEVELS:
            if waiting := self._store.pending(base_id, level, self._embedder.name, limit):
                return level, waiting
        return LEVELS[0], []

    def progress(self, base_id: str, levels: Sequence[str] = LEVELS) -> VectorProgress:
        return self._store.progress(base_id, self._embedder.name, levels)

    def search(
        self, base_id: str, level: str, query: str, limit: int, documents: Sequence[str] = ()
    ) -> list[tuple[str, float]]:
        if limit <= 0:
            return []
        vector = self._embedder.embed_query(query)

        def found(name: str) -> list[tuple[str, float]]:
            hits = None if self._url else self._scanned(name, vector, limit, documents)
            if hits is not None:
                return hits
            with self._chroma.alone() as chroma:
                return _queried(chroma.collection(name), vector, limit, documents)

        return self._asked(base_id, level, found, [])

    def nearness(self, base_id: str, level: str, query: str, ids: Sequence[str]) -> dict[str, Nearness]:
        at_hand = partial(self._at_hand, base_id, level)
        with Translated(damaged, ValueError, IndexError):  # for sentences of a wrong length
            return nearness_of(self._store, self._embedder, query, ids, at_hand)

    def whole(self, base_id: str, level: str) -> Scan | None:
        """All vectors of a small collection; None for a larger one."""
        return self._asked(base_id, level, self._scan, None)

    def differing(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> list[str]:
        if not entries:
            return []
        made, ids = vectors_of(self._embedder, entries), [entry.chunk_id for entry in entries]

        def compared(name: str) -> list[str]:
            with self._chroma.alone() as chroma:
                found: Any = chroma.collection(name).get(ids, include=["embeddings", "metadatas"])
            documents = [each["document_id"] for each in found["metadatas"]]
            held = dict(zip(found["ids"], zip(documents, found["embeddings"], strict=True), strict=True))
            is_filed = self._has_whole_file(name, self._count(name))
            return different(made, held) + (self._file(name).differing(_rows(made)) if is_filed else [])

        wrong = self._asked(base_id, level, compared, ids)
        own = {each.entry.chunk_id: (each.sentences, each.unspaced) for _, each in made}
        stored = self._store.sentences(self._embedder.name, ids)
        wrong += [id for id, kept in stored.items() if not same(own[id], kept, self._embedder.dimension)]
        return [*dict.fromkeys(wrong)]

    def delete_other_embedders(self, base_id: str) -> None:
        own = {self._name(base_id, level) for level in LEVELS}
        with self._collections(base_id) as found:
            for collection in found:
                if collection.name not in own:
                    self._drop(collection)

    def delete_documents(self, base_id: str, document_ids: Sequence[str]) -> None:
        self._store.forget_documents(document_ids)
        with self._collections(base_id) as found:
            for collection in found:
                for start in range(0, len(document_ids), ASKED):
                    collection.delete(where=_inside(document_ids[start : start + ASKED]))
                self._keep_file(collection, [VectorRow("", document) for document in document_ids])

    def delete_base(self, base_id: str) -> None:
        """Deletes collections of every embedder. A damaged folder is removed entirely: it contains only copies."""
        self._store.forget_base(base_id)
        try:
            with self._collections(base_id) as found:
                self._chroma.check()
                for collection in found:
                    self._drop(collection)
        except ServiceError:
            if self._url:
                raise
            self._chroma.discard()

    def count(self, base_id: str, level: str) -> int:
        """Raises ServiceError if vectors are missing behind the counted rows."""

        def counted(name: str) -> int:
            count = self._count(name)
            if count and not self._has_whole_file(name, count):
                with self._chroma.alone() as chroma:
                    _check_found(chroma.collection(name))
            return count

        return self._asked(base_id, level, counted, 0)

    def _asked(self, base_id: str, level: str, ask: Callable[[str], Answer], nothing: Answer) -> Answer:
        """ask: called with the name of the collection; nothing: the answer if no vectors were ever made."""
        name = self._name(base_id, level)
        with self._chroma.translated():
            try:
                return ask(name)
            except IndexMissingError:
                if not self.progress(base_id, [level]).done:
                    return nothing
                return ask(name)  # they may have been made meanwhile

    def _scanned(self, name: str, vector: Any, limit: int, documents: Sequence[str]) -> list[tuple[str, float]] | None:
        """Hits by comparing all vectors, of a small collection in memory, of a large one in its file; or None."""
        count = self._count(name)
        if self._has_whole_file(name, count):
            return self._file(name).search(vector, limit, documents)
        asked = dict.fromkeys(documents)
        if whole := self._scan(name):
            return whole.search(vector, limit, asked)
        if not 0 < len(asked) <= FEW:
            return None
        found: list[tuple[str, float]] = []
        for document in asked:
            if not (scan := self._scan(name, document)):
                return None
            found += scan.search(vector, limit)
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))[:limit]

    def _at_hand(self, base_id: str, level: str, vector: Any, ids: Sequence[str]) -> AtHand:
        if self._url or not ids:
            return AtHand({})

        def found(name: str) -> AtHand:
            if self._has_whole_file(name, self._count(name)):
                return self._file(name).at_hand(vector, ids)
            whole = self._scan(name)
            return AtHand(whole.cosines(vector, ids) if whole else {})

        return self._asked(base_id, level, found, AtHand({}))

    def _count(self, name: str) -> int:
        known = self._chroma.current()
        if known and (count := known.counts.get(name)) is not None:
            return count
        with self._chroma.alone() as chroma:
            return chroma.count(name)

    def _scan(self, name: str, document: str = "") -> Scan | None:
        """Vectors of one document, or of all with ""; None for too many entries."""
        known = self._chroma.current()
        if known and (held := known.scans.get((name, document))):
            return held[0]
        with self._chroma.alone() as chroma:
            return chroma.scan(name, document)

    def _has_whole_file(self, name: str, count: int) -> bool:
        """Whether the file is complete, so that Chroma's graph, 3 kB per vector in memory, is not loaded."""
        return self._is_filed(count) and self._file(name).count() == count

    def _is_filed(self, count: int) -> bool:
        """Whether a collection of this size has a file. Hashed words have none: signs of their numbers say little."""
        return not self._url and self._embedder.semantic and scan.SCANNED < count <= MOST_COMPARED

    def _drop(self, collection: chromadb.Collection) -> None:
        with self._chroma.alone(write=True) as chroma:
            chroma.client.delete_collection(collection.name)
        self._file(collection.name).delete()

    def _keep_file(self, collection: chromadb.Collection, rows: Sequence[VectorRow]) -> None:
        """Updates the file after a change of Chroma; a file that does not match is rebuilt."""
        file, count = self._file(collection.name), collection.count()
        if not self._is_filed(count):
            file.delete()
            return
        with file.writing():
            if file.exists():
                file.append(rows)
            if not file.fits(count):
                file.replace(self._all_rows(collection, {row.id: row.sentences for row in rows}))

    def _all_rows(
        self, collection: chromadb.Collection, written: Mapping[str, Sentences | None]
    ) -> Iterator[list[VectorRow]]:
        """written: sentences that are not in the store yet."""
        for start in range(0, collection.count(), BATCH):
            found: Any = collection.get(limit=BATCH, offset=start, include=["embeddings", "metadatas"])
            documents = [each["document_id"] for each in found["metadatas"]]
            kept = {**self._store.sentences(self._embedder.name, found["ids"]), **written}
            rows = zip(found["ids"], documents, found["embeddings"], map(kept.get, found["ids"]), strict=True)
            yield [VectorRow(*row) for row in rows]

    def _file(self, name: str) -> VectorFile:
        if name not in self._files:  # one object a file, which caches what it has read
            path = self._folder / "compared" / f"{name}.vectors"
            self._files.setdefault(name, VectorFile(path, self._embedder.dimension))
        return self._files[name]

    @contextmanager
    def _collections(self, base_id: str) -> Iterator[list[chromadb.Collection]]:
        """All collections of a base, for writing, without damaged ones, which go; none if nothing was ever written."""
        if not self._chroma.exists():
            yield []
            return
        prefix = f"{_slug(base_id)}."
        with self._chroma.alone(write=True) as chroma:
            names = [found.name for found in chroma.client.list_collections() if found.name.startswith(prefix)]
            if broken := chroma.broken.intersection(names):
                self._store.forget_base(base_id)
                for name in broken:
                    chroma.client.delete_collection(name)
                    self._file(name).delete()
                chroma.broken -= broken
                names = [name for name in names if name not in broken]
            yield [chroma.client.get_collection(name, embedding_function=None) for name in names]

    def _drop_broken(self, base_id: str) -> None:
        """Takes damaged collections away, so that their vectors are pending again, as all are without a database."""
        if not self._chroma.exists() and self.progress(base_id).done:
            self._store.forget_base(base_id)
        known = self._chroma.current()
        if not self._url and (known is None or known.broken):
            with self._collections(base_id):
                pass

    def _name(self, base_id: str, level: str) -> str:
        return f"{_slug(base_id)}.{level}.{_slug(self._embedder.name)}"


def _rows(made: Sequence[tuple[Any, MadeVectors]]) -> list[VectorRow]:
    return [
        VectorRow(kept.entry.chunk_id, kept.entry.document_id, vector, (kept.sentences, kept.unspaced))
        for vector, kept in made
    ]


def _queried(
    collection: chromadb.Collection, vector: Any, limit: int, documents: Sequence[str]
) -> list[tuple[str, float]]:
    """Hits by Chroma's own search, which finds nearly all of the nearest; (id, cosine), best first."""
    where: Any = _inside(documents) if documents else None
    found = collection.query(query_embeddings=[vector], n_results=limit, where=where, include=["distances"])
    hits = list(zip(found["ids"][0], (found["distances"] or [[]])[0], strict=True))
    if not documents and len(hits) < limit:
        _check_complete(len(hits), min(limit, collection.count()), MOST_MISSED)
    return sorted(((id, 1.0 - float(distance)) for id, distance in hits), key=lambda hit: (-hit[1], hit[0]))


def _check_found(collection: chromadb.Collection) -> None:
    """Raises ServiceError if vectors are missing behind the rows of the collection."""
    known: Any = collection.get(limit=1, include=["embeddings"])["embeddings"]
    asked = min(collection.count(), SAMPLE)
    found = collection.query(query_embeddings=known, n_results=asked, include=[])["ids"][0] if asked else []
    _check_complete(len(found), asked, FEW_MISSED)


def _check_complete(found: int, expected: int, may_miss: float) -> None:
    """Detects a lost vector file, which keeps the rows but finds almost nothing, without an error."""
    if found < expected * (1.0 - may_miss):
        raise damaged(f"{found} of {expected} vectors found")


def _inside(documents: Sequence[str]) -> Any:
    return {"document_id": {"$in": list(documents)}}


@lru_cache(maxsize=1_000)
def _slug(name: str) -> str:
    """A name Chroma accepts; a changed name gets a suffix that keeps it unique."""
    slug = re.sub(r"[^A-Za-z0-9_-]+", "-", name).strip("-_")[:100]
    mark = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return slug if slug and slug == name else "-".join(filter(None, (slug, mark)))
