"""Search indexes and what they are made of, the retriever that joins them, and web search."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from core.documents.model import Block, Chunk
from core.platform.ids import content_id
from core.search.model import Hit, Passage

LEVELS = ("chunks", "summaries")
"""Levels of a search, each with an index of its own; a base is ready when all have their vectors."""


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A chunk as indexes see it; title and section are searched with the text and weigh more."""

    chunk_id: str
    document_id: str
    title: str
    section: str
    """Heading path, outermost first, one heading a line."""
    text: str

    @property
    def digest(self) -> str:
        """Hash of everything that its vectors are made of."""
        return content_id(self.title, self.section, self.text)


@dataclass(frozen=True, slots=True)
class VectorProgress:
    """How many entries of ready documents have vectors, and how many there are."""

    done: int
    total: int

    @property
    def is_complete(self) -> bool:
        return self.done >= self.total


class Nearness(NamedTuple):
    """How near an entry is to a query, by vectors."""

    cosine: float | None
    """Mean of the cosines of the passage and of its best sentence; None where the embedder reads whole passages."""
    unspaced: bool
    """Whether it is written without spaces between words, as Chinese is."""


class ChunkIndex(Protocol):
    """Vectors of chunks and summaries, one collection a knowledge base, embedder and level; rebuildable from SQL.

    A document is published and found by its words before it has vectors. A level whose vectors were never made, or are
    to be made again, is empty; one whose vectors were lost raises ServiceError, which names the remedy.
    """

    def upsert(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> None:
        """level is `chunks` or `summaries`; entries carry the ids of that level and are published."""

    def pending(self, base_id: str, limit: int) -> tuple[str, list[IndexEntry]]:
        """The next entries to be upserted, with their level; an empty list when there are none."""

    def progress(self, base_id: str, levels: Sequence[str] = LEVELS) -> VectorProgress: ...

    def search(
        self, base_id: str, level: str, query: str, limit: int, documents: Sequence[str] = ()
    ) -> list[tuple[str, float]]:
        """(id, cosine similarity), best first."""

    def nearness(self, base_id: str, level: str, query: str, ids: Sequence[str]) -> dict[str, Nearness]:
        """Nearness of those entries that have vectors."""

    def differing(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> list[str]:
        """Ids of those entries, which all have vectors, whose vectors differ from those made of them now."""

    def delete_other_embedders(self, base_id: str) -> None:
        """Deletes collections that are no longer searched."""

    def delete_documents(self, base_id: str, document_ids: Sequence[str]) -> None: ...

    def delete_base(self, base_id: str) -> None: ...

    def count(self, base_id: str, level: str) -> int: ...


class LexicalIndex(Protocol):
    """Words of chunks and summaries, ranked by BM25; same levels and the same rules as ChunkIndex."""

    def upsert(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> None: ...

    def replace(self, base_id: str, level: str, batches: Iterable[Sequence[IndexEntry]]) -> int:
        """Replaces the level by these entries in one step, or not at all, and returns their number.

        A level that cannot be read is recreated.
        """

    def search(
        self, base_id: str, level: str, query: str, limit: int, documents: Sequence[str] = ()
    ) -> list[tuple[str, float]]:
        """(id, BM25 score), best first."""

    def titled(
        self, base_id: str, level: str, names: Sequence[str], query: str, limit: int
    ) -> list[tuple[str, str, str]]:
        """(id, document id, name) of entries whose title or last heading is one of the names, best for the query first.

        Case, accents, width, script and punctuation make no difference between names, and a remark in brackets at the
        end, as in "Levity (film)", does not count.
        """

    def matches(self, base_id: str, level: str, terms: Sequence[str], ids: Sequence[str]) -> dict[str, frozenset[str]]:
        """Which of the terms each entry holds in title, section or text; unknown ids are left out."""

    def frequencies(self, base_id: str, level: str, terms: Sequence[str]) -> tuple[int, dict[str, int]]:
        """How many entries there are, and how many hold each of the terms."""

    def documents_of(self, base_id: str, level: str, ids: Sequence[str]) -> dict[str, str]:
        """Document of each entry; unknown ids are left out."""

    def delete_documents(self, base_id: str, document_ids: Sequence[str]) -> None: ...

    def delete_base(self, base_id: str) -> None: ...

    def count(self, base_id: str, level: str) -> int: ...


class Retriever(Protocol):
    """Chunks for a query, of ready documents and enabled chunks only."""

    def chunks(self, base_id: str, query: str, limit: int, documents: Sequence[str] = ()) -> list[Hit]:
        """Vector and lexical search fused."""

    def hierarchical(self, base_id: str, query: str, limit: int) -> list[Hit]:
        """Chunks of the documents of the best 3 summaries: before others, or alone."""

    def graph(self, base_id: str, query: str, limit: int) -> list[Hit]:
        """Chunks reached through the entities of the query and their neighbours, fused with plain search."""


@dataclass(frozen=True, slots=True)
class MadeVectors:
    """What is stored of an entry whose vector is in the index."""

    entry: IndexEntry
    sentences: bytes = b""
    """Vectors of its sentences, packed; empty where the embedder reads passages as a whole."""
    unspaced: bool = False
    """Whether its text is written without spaces between words."""


Sentences = tuple[bytes, bool]
"""Vectors of an entry's sentences, packed, and whether it is written without spaces between words."""


class VectorStore(Protocol):
    """Records of the vectors that were made; an entry whose text changes or is deleted loses its record at once."""

    def pending(self, base_id: str, level: str, embedder: str, limit: int) -> list[IndexEntry]:
        """Entries of ready documents without vectors of this embedder, oldest documents first."""

    def progress(self, base_id: str, embedder: str, levels: Sequence[str] = LEVELS) -> VectorProgress: ...

    def keep(self, level: str, embedder: str, made: Sequence[MadeVectors]) -> None:
        """Stores vectors of entries whose text is still the same; the others stay pending."""

    def sentences(self, embedder: str, ids: Sequence[str]) -> dict[str, Sentences]:
        """Sentences of those entries that have vectors."""

    def digests(self, base_id: str, level: str, embedder: str, limit: int) -> dict[str, str]:
        """For at most `limit` entries, the IndexEntry.digest that their vectors were made of."""

    def forget_documents(self, document_ids: Sequence[str]) -> None: ...

    def forget_base(self, base_id: str) -> None: ...


@dataclass(frozen=True, order=True, slots=True)
class Position:
    """The last change that a copy contains."""

    version: int = 0
    document_id: str = ""


class IndexChanges(Protocol):
    """The order in which documents of a base were changed, for copies of what is derived from them."""

    def versions(self) -> dict[str, int]:
        """The version of every base, which rises with each change before the change is visible."""

    def since(self, base_id: str, position: Position, limit: int) -> list[Position]:
        """The next changes, in order: documents that were published, changed or deleted, each at its last change."""

    def entries(self, base_id: str, level: str, document_ids: Sequence[str]) -> Iterator[list[IndexEntry]]:
        """Entries of those documents that are published, in batches."""


@dataclass(frozen=True, slots=True)
class WebResult:
    title: str
    url: str
    text: str
    score: float | None


class WebSearch(Protocol):
    def search(self, query: str, limit: int) -> Iterable[WebResult]:
        """Raises ServiceError for every failure of the service."""


class Passages(Protocol):
    """Texts of documents: blocks as parsed, chunks as searched and quoted."""

    def blocks(self, document_id: str, page: int | None = None) -> list[Block]: ...

    def chunks(self, document_id: str) -> list[Chunk]: ...

    def beside(self, chunk: Chunk) -> list[Chunk]:
        """The chunks before and after it in its document."""

    def get(self, chunk_ids: Sequence[str]) -> list[Passage]:
        """In the order given; ids that are unknown, disabled or of documents that are not ready are left out."""

    def visible(self, chunk_ids: Sequence[str]) -> set[str]:
        """Those of the ids that get() would return."""

    def texts(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        """Texts of the known ids, of disabled chunks too: much less to read than get() returns."""

    def index_entries(self, base_id: str, level: str) -> Iterator[list[IndexEntry]]:
        """All entries of ready documents in batches, for rebuilding an index."""
