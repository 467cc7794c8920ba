"""Search indexes, and the retriever that joins them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from core.platform.ids import content_id
from core.search.model import Hit

LEVELS = ("chunks", "summaries")
"""What a search reads. Each has an index of its own; a base is ready when all have their vectors."""


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
        """Of all that its vectors are made of."""
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
    """What the vectors of an entry say of a query."""

    cosine: float | None
    """The mean of the passage's and of its best sentence's; None where the embedder reads passages as a whole."""
    unspaced: bool
    """Whether it is written without spaces between words, as Chinese is."""


class ChunkIndex(Protocol):
    """Vectors of chunks and summaries, one collection a knowledge base, embedder and level; rebuildable from SQL.

    They follow the words: a document is published and found by its words before it has any. What was never made, or is
    thrown away to be made again, is an empty level; what is lost raises ServiceError, which names the remedy.
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
        """Of those entries that have vectors."""

    def differing(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> list[str]:
        """Which of the entries, that all have vectors, have others than would be made of them now."""

    def delete_other_embedders(self, base_id: str) -> None:
        """Collections that no longer are searched."""

    def delete_documents(self, base_id: str, document_ids: Sequence[str]) -> None: ...

    def delete_base(self, base_id: str) -> None: ...

    def count(self, base_id: str, level: str) -> int: ...


class LexicalIndex(Protocol):
    """Words of chunks and summaries, ranked by BM25; same levels and the same rules as ChunkIndex."""

    def upsert(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> None: ...

    def replace(self, base_id: str, level: str, batches: Iterable[Sequence[IndexEntry]]) -> int:
        """The level holds exactly these entries, in one step: until then, and after a failure, it is as it was.

        The number of entries. What cannot be read is made anew.
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

    def probe(self, base_id: str, query: str, limit: int, documents: Sequence[str]) -> list[Hit]:
        """As chunks(), with those that are switched off: for a person who tries a query out."""

    def hierarchical(self, base_id: str, query: str, limit: int) -> list[Hit]:
        """Summaries first (3 hits), then chunks of their documents: of these before others, or of these alone."""

    def graph(self, base_id: str, query: str, limit: int) -> list[Hit]:
        """Chunks reached through the entities of the query and their neighbours, fused with plain search."""
