"""Doubles of the index ports: dictionaries that count terms."""

import math
from collections.abc import Callable, Iterable, Sequence

from core.platform.language.detect import is_unspaced
from core.platform.language.terms import query_terms, terms
from core.search.ports import LEVELS, IndexEntry, MadeVectors, Nearness, Sentences, VectorProgress


def holds(entry: IndexEntry) -> frozenset[str]:
    return frozenset(terms(f"{entry.title}\n{entry.section}\n{entry.text}"))


def bare(name: str) -> list[str]:
    return terms(name.split(" (")[0])


class FakeLexicalIndex:
    """LexicalIndex that scores by the rarity of the shared terms."""

    def __init__(self) -> None:
        self.entries: dict[tuple[str, str], dict[str, IndexEntry]] = {}

    def upsert(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> None:
        self.entries.setdefault((base_id, level), {}).update({entry.chunk_id: entry for entry in entries})

    def replace(self, base_id: str, level: str, batches: Iterable[Sequence[IndexEntry]]) -> int:
        made = {entry.chunk_id: entry for entries in batches for entry in entries}
        self.entries[base_id, level] = made
        return len(made)

    def search(
        self, base_id: str, level: str, query: str, limit: int, documents: Sequence[str] = ()
    ) -> list[tuple[str, float]]:
        wanted = set(query_terms(query))
        count, having = self.frequencies(base_id, level, list(wanted))
        scores = {
            entry.chunk_id: sum(math.log(1 + count / having[term]) for term in wanted & holds(entry))
            for entry in self._of(base_id, level)
            if not documents or entry.document_id in documents
        }
        return [(id, score) for id, score in _best(scores) if score > 0][:limit]

    def titled(
        self, base_id: str, level: str, names: Sequence[str], query: str, limit: int
    ) -> list[tuple[str, str, str]]:
        rank = {id: place for place, (id, _) in enumerate(self.search(base_id, level, query, 10_000))}
        found = [
            (entry.chunk_id, entry.document_id, name)
            for entry in self._of(base_id, level)
            for name in names
            if bare(name) and bare(name) in (bare(entry.title), bare(entry.section.split("\n")[-1]))
        ]
        return sorted(found, key=lambda row: (rank.get(row[0], len(rank)), row[0]))[:limit]

    def matches(self, base_id: str, level: str, terms: Sequence[str], ids: Sequence[str]) -> dict[str, frozenset[str]]:
        entries = self.entries.get((base_id, level), {})
        return {id: frozenset(terms) & holds(entries[id]) for id in ids if id in entries}

    def frequencies(self, base_id: str, level: str, terms: Sequence[str]) -> tuple[int, dict[str, int]]:
        held = [holds(entry) for entry in self._of(base_id, level)]
        return len(held), {term: sum(term in each for each in held) for term in terms}

    def documents_of(self, base_id: str, level: str, ids: Sequence[str]) -> dict[str, str]:
        entries = self.entries.get((base_id, level), {})
        return {id: entries[id].document_id for id in ids if id in entries}

    def delete_documents(self, base_id: str, document_ids: Sequence[str]) -> None:
        _delete_documents(self.entries, base_id, document_ids)

    def delete_base(self, base_id: str) -> None:
        _delete_base(self.entries, base_id)

    def count(self, base_id: str, level: str) -> int:
        return len(self.entries.get((base_id, level), {}))

    def _of(self, base_id: str, level: str) -> list[IndexEntry]:
        return list(self.entries.get((base_id, level), {}).values())


class FakeVectorStore:
    """VectorStore that believes every entry to be as it was when its vectors were made."""

    def __init__(self) -> None:
        self.made: dict[tuple[str, str], MadeVectors] = {}
        """By embedder and entry."""
        self.levels: dict[str, str] = {}
        """Of each entry."""

    def pending(self, base_id: str, level: str, embedder: str, limit: int) -> list[IndexEntry]:
        return []

    def progress(self, base_id: str, embedder: str, levels: Sequence[str] = LEVELS) -> VectorProgress:
        made = sum(kind == embedder and self.levels[id] in levels for kind, id in self.made)
        return VectorProgress(made, made)

    def keep(self, level: str, embedder: str, made: Sequence[MadeVectors]) -> None:
        self.levels.update({each.entry.chunk_id: level for each in made})
        self.made.update({(embedder, each.entry.chunk_id): each for each in made})

    def sentences(self, embedder: str, ids: Sequence[str]) -> dict[str, Sentences]:
        found = {id: self.made[embedder, id] for id in ids if (embedder, id) in self.made}
        return {id: (made.sentences, made.unspaced) for id, made in found.items()}

    def digests(self, base_id: str, level: str, embedder: str, limit: int) -> dict[str, str]:
        made = [each.entry for (kind, id), each in self.made.items() if kind == embedder and self.levels[id] == level]
        return {entry.chunk_id: entry.digest for entry in made[:limit]}

    def forget_documents(self, document_ids: Sequence[str]) -> None:
        for key in [key for key, made in self.made.items() if made.entry.document_id in document_ids]:
            del self.made[key]

    def forget_base(self, base_id: str) -> None:
        self.made.clear()


class FakeChunkIndex:
    """ChunkIndex over a similarity given by the test; by default the share of the query's terms that are held."""

    def __init__(self, similarity: Callable[[str, IndexEntry], float] | None = None) -> None:
        self.entries: dict[tuple[str, str], dict[str, IndexEntry]] = {}
        self.similarity = similarity or _shared
        self.total: int | None = None
        self.done: int | None = None
        """What it says of its progress; as many as it holds when None."""

    def pending(self, base_id: str, limit: int) -> tuple[str, list[IndexEntry]]:
        return "chunks", []

    def progress(self, base_id: str, levels: Sequence[str] = LEVELS) -> VectorProgress:
        held = sum(self.count(base_id, level) for level in levels)
        if "chunks" not in levels:
            return VectorProgress(held, held)
        return VectorProgress(held if self.done is None else self.done, held if self.total is None else self.total)

    def nearness(self, base_id: str, level: str, query: str, ids: Sequence[str]) -> dict[str, Nearness]:
        entries = {id: entry for id, entry in self.entries.get((base_id, level), {}).items() if id in ids}
        return {id: Nearness(self.similarity(query, each), is_unspaced(each.text)) for id, each in entries.items()}

    def differing(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> list[str]:
        held = self.entries.get((base_id, level), {})
        return [entry.chunk_id for entry in entries if held.get(entry.chunk_id) != entry]

    def check_graphs(self, base_id: str) -> None: ...

    def delete_other_embedders(self, base_id: str) -> None: ...

    def upsert(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> None:
        self.entries.setdefault((base_id, level), {}).update({entry.chunk_id: entry for entry in entries})

    def search(
        self, base_id: str, level: str, query: str, limit: int, documents: Sequence[str] = ()
    ) -> list[tuple[str, float]]:
        scores = {
            id: self.similarity(query, entry)
            for id, entry in self.entries.get((base_id, level), {}).items()
            if not documents or entry.document_id in documents
        }
        return _best(scores)[:limit]

    def delete_documents(self, base_id: str, document_ids: Sequence[str]) -> None:
        _delete_documents(self.entries, base_id, document_ids)

    def delete_base(self, base_id: str) -> None:
        _delete_base(self.entries, base_id)

    def count(self, base_id: str, level: str) -> int:
        return len(self.entries.get((base_id, level), {}))


def _shared(query: str, entry: IndexEntry) -> float:
    wanted = set(query_terms(query))
    return len(wanted & holds(entry)) / max(len(wanted), 1)


def _best(scores: dict[str, float]) -> list[tuple[str, float]]:
    return sorted(scores.items(), key=lambda row: (-row[1], row[0]))


def _delete_documents(
    entries: dict[tuple[str, str], dict[str, IndexEntry]], base_id: str, document_ids: Sequence[str]
) -> None:
    for (owner, _), held in entries.items():
        for id in [id for id, entry in held.items() if owner == base_id and entry.document_id in document_ids]:
            del held[id]


def _delete_base(entries: dict[tuple[str, str], dict[str, IndexEntry]], base_id: str) -> None:
    for key in [key for key in entries if key[0] == base_id]:
        del entries[key]
