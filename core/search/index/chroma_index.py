"""Vectors of chunks and summaries in Chroma, in a local folder or on a server; rebuilt from SQL if lost."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, lru_cache
from hashlib import sha256
from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from core.models.ports import PassageEmbedder
from core.platform.errors import ServiceError, Translated
from core.search.index import vector_file
from core.search.index.chroma_graph import DATABASE, FLAW, broken_collections
from core.search.index.errors import IndexMissingError, damaged
from core.search.index.passage_vectors import different, nearness_of, same, vectors_of
from core.search.index.vector_file import VectorFile, VectorRow
from core.search.ports import LEVELS, IndexEntry, MadeVectors, Nearness, VectorProgress, VectorStore

if TYPE_CHECKING:
    import chromadb

    from core.search.index.chroma_access import ChromaAccess

Answer = TypeVar("Answer")
_HEARTBEAT_SECONDS = 2.0
BATCH = 1_000
"""Entries embedded and written at once; Chroma accepts up to 5,461."""
ASKED = 400
"""Documents per filter."""
SAMPLE = 4_000
"""Vectors fetched for counting: more than Chroma may keep outside its vector files."""
FEW_MISSED = 0.1
MOST_MISSED = 0.5
MOST_COMPARED = 300_000
"""Vectors of a collection beyond which Chroma's graph is faster than comparing all of them."""


class ChromaIndex:
    """ChunkIndex; one collection a base, level and embedder. Embeddings are always made here, never by Chroma.

    Collections in the folder are searched in files that follow each change of Chroma, which is loaded for changes, and
    where a file is not whole. The store records vectors after they are written and forgets them before they are
    deleted, so a crash causes repeated work, never missing vectors. A damaged graph, such as a killed process leaves,
    goes, and its vectors are pending again.
    """

    def __init__(self, folder: Path, embedder: PassageEmbedder, store: VectorStore, url: str = "") -> None:
        """`url` of a Chroma server; if empty, the vectors are kept in the folder."""
        self._folder = folder
        self._embedder = embedder
        self._store = store
        self._url = url
        self._files: dict[str, tuple[VectorFile, ...]] = {}
        self._whole_at: dict[str, tuple[int, int]] = {}
        """Stamp at which a file was found to be whole, by collection."""

    @cached_property
    def _chroma(self) -> "ChromaAccess":
        from core.search.index.chroma_access import ChromaAccess

        return ChromaAccess(self._folder, self._url)

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
        vector: Any = self._embedder.embed_query(query)
        with _told():
            if file := self._whole_file(base_id, level):
                return file.search(vector, limit, documents)
        return self._asked(base_id, level, lambda found: _queried(found, vector, limit, documents), [])

    def nearness(self, base_id: str, level: str, query: str, ids: Sequence[str]) -> dict[str, Nearness]:
        with _told():  # also sentences of a wrong length
            file = self._whole_file(base_id, level) if ids else None
            return nearness_of(self._store, self._embedder, query, ids, file.cosines if file else lambda *_: {})

    def differing(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> list[str]:
        if not entries:
            return []
        made, ids = vectors_of(self._embedder, entries), [entry.chunk_id for entry in entries]

        def compared(collection: "chromadb.Collection") -> list[str]:
            found: Any = collection.get(ids, include=["embeddings", "metadatas"])
            documents = [each["document_id"] for each in found["metadatas"]]
            held = zip(documents, found["embeddings"], strict=True)
            return different(made, dict(zip(found["ids"], held, strict=True)))

        wrong = self._asked(base_id, level, compared, ids)
        if file := self._whole_file(base_id, level):
            wrong += different(made, file.by_id(ids), file.is_exact)
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
        self._whole_at.pop(self._name(base_id, level), None)
        with _told():
            if file := self._whole_file(base_id, level):
                return file.count()

        def counted(collection: "chromadb.Collection") -> int:
            _check_found(collection)
            return collection.count()

        return self._asked(base_id, level, counted, 0)

    def check_graphs(self, base_id: str) -> None:
        """Raises ServiceError if a graph of the base is damaged, also where a file is searched in its place."""
        prefix = f"{_slug(base_id)}."
        if any(name.startswith(prefix) for name in broken_collections(self._folder / DATABASE)):
            raise damaged(FLAW)

    def _asked(
        self, base_id: str, level: str, ask: "Callable[[chromadb.Collection], Answer]", nothing: Answer
    ) -> Answer:
        """nothing: the answer if no vectors were ever made."""

        def asked() -> Answer:
            with self._chroma.alone() as chroma:
                return ask(chroma.collection(self._name(base_id, level)))

        try:
            return asked()
        except IndexMissingError:
            if not self.progress(base_id, [level]).done:
                return nothing
            return asked()  # they may have been made meanwhile

    def _whole_file(self, base_id: str, level: str) -> VectorFile | None:
        """The file that has every vector the store knows of; it may also have some of deleted documents.

        That of a small collection is made if need be. It is written after Chroma and before the store, so that it is
        whole after any kill; a power loss may cut it.
        """
        if self._url or not (self._folder / DATABASE).exists():
            return None
        name = self._name(base_id, level)
        files = self._files_of(name)
        for file in files:
            if (stamp := file.stamp()) and stamp == self._whole_at.get(name):
                return file
        made = self.progress(base_id, [level]).done
        if 0 < made <= vector_file.EXACT and all(file.count() < made for file in files):
            self._asked(base_id, level, lambda collection: self._keep_file(collection, []), None)
        file = max(files, key=VectorFile.count)
        if (stamp := file.stamp()) is None or file.count() < made:
            return None
        self._whole_at[name] = stamp
        return file

    def _drop(self, collection: "chromadb.Collection") -> None:
        with self._chroma.alone(write=True) as chroma:
            chroma.client.delete_collection(collection.name)
        for file in self._files_of(collection.name):
            file.delete()

    def _keep_file(self, collection: "chromadb.Collection", rows: Sequence[VectorRow]) -> None:
        """Updates the file after a change of Chroma; one that does not match is made anew.

        Larger collections of hashed words have none, because signs of their numbers say little, nor have those of other
        embedders.
        """
        count = collection.count()
        is_small = count <= vector_file.EXACT
        is_own = not self._url and collection.name.endswith(f".{_slug(self._embedder.name)}")
        is_filed = is_own and (is_small or (self._embedder.semantic and count <= MOST_COMPARED))
        for file in self._files_of(collection.name):
            if not is_filed or file.is_exact != is_small:
                file.delete()
                continue
            if file.exists():
                file.append(rows)
            if not file.fits(count):
                file.replace(_all_rows(collection))

    def _files_of(self, name: str) -> tuple[VectorFile, ...]:
        """Of the vectors as they are, and with one byte a number; a collection has one of them."""
        if name not in self._files:  # one object a file, which caches what it has read
            path, dimension = self._folder / "compared" / name, self._embedder.dimension
            made = [
                VectorFile(path.with_name(f"{name}.{ending}"), dimension, is_exact=ending == "exact")
                for ending in ("exact", "vectors")
            ]
            self._files.setdefault(name, tuple(made))
        return self._files[name]

    @contextmanager
    def _collections(self, base_id: str) -> "Iterator[list[chromadb.Collection]]":
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
                    for file in self._files_of(name):
                        file.delete()
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
    return [VectorRow(kept.entry.chunk_id, kept.entry.document_id, vector) for vector, kept in made]


def _all_rows(collection: "chromadb.Collection") -> Iterator[list[VectorRow]]:
    for start in range(0, collection.count(), BATCH):
        found: Any = collection.get(limit=BATCH, offset=start, include=["embeddings", "metadatas"])
        documents = (each["document_id"] for each in found["metadatas"])
        yield [VectorRow(*row) for row in zip(found["ids"], documents, found["embeddings"], strict=True)]


def _told() -> Translated:
    """What damage of a file or of stored sentences raises, as the error with the remedy."""
    return Translated(damaged, ValueError, IndexError, OSError)


def answers(url: str) -> bool:
    """Whether the Chroma server does."""
    address = urlsplit(url)
    if not address.hostname:
        return False
    kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
    connection = kind(address.hostname, address.port, timeout=_HEARTBEAT_SECONDS)
    try:
        connection.request("GET", f"{address.path.rstrip('/')}/api/v2/heartbeat")
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def _queried(
    collection: "chromadb.Collection", vector: Any, limit: int, documents: Sequence[str]
) -> list[tuple[str, float]]:
    """Hits by Chroma's own search, which finds nearly all of the nearest; (id, cosine), best first."""
    where: Any = _inside(documents) if documents else None
    found = collection.query(query_embeddings=[vector], n_results=limit, where=where, include=["distances"])
    hits = list(zip(found["ids"][0], (found["distances"] or [[]])[0], strict=True))
    if not documents and len(hits) < limit:
        _check_complete(len(hits), min(limit, collection.count()), MOST_MISSED)
    return sorted(((id, 1.0 - float(distance)) for id, distance in hits), key=lambda hit: (-hit[1], hit[0]))


def _check_found(collection: "chromadb.Collection") -> None:
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
