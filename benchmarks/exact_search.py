"""Exact search of every passage, which shares no index and no stored vector with the search that it judges."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from benchmarks.retrieval import K1, B
from core.models.ports import PassageEmbedder
from core.platform.language.detect import is_unspaced
from core.platform.language.terms import query_terms, terms
from core.search.index.passage_vectors import parts_of, vectors_of
from core.search.index.tantivy_index import HEADING_WEIGHT, title_key
from core.search.ports import LEVELS, IndexEntry, Nearness, VectorProgress
from tests.fakes.indexes import FakeChunkIndex, FakeLexicalIndex

Found = list[tuple[str, float]]
Postings = dict[str, tuple[Any, Any]]
"""Of each term, the places of the entries that hold it, and what it adds to their BM25 before rarity."""


class Corpus:
    """Entries by place."""

    def __init__(self, entries: Sequence[IndexEntry]) -> None:
        self.entries = entries
        self.places = {entry.chunk_id: place for place, entry in enumerate(entries)}
        self.documents = np.array([entry.document_id for entry in entries])

    def best(self, scores: Any, limit: int, documents: Sequence[str]) -> Found:
        """Best first, ties by id; without those that score nothing."""
        if documents:
            scores = np.where(np.isin(self.documents, list(documents)), scores, 0.0)
        some = np.argpartition(-scores, limit)[:limit] if limit < len(scores) else np.arange(len(scores))
        found = [(self.entries[place].chunk_id, float(scores[place])) for place in some if scores[place] > 0]
        return sorted(found, key=lambda hit: (-hit[1], hit[0]))


class ExactVectors(FakeChunkIndex):
    """ChunkIndex: the cosine of every passage in 32-bit floats; of the candidates' sentences likewise."""

    def __init__(self, corpus: Corpus, vectors: Any, embedder: PassageEmbedder) -> None:
        super().__init__()
        self.corpus, self.vectors, self.embedder = corpus, vectors, embedder

    def search(self, base_id: str, level: str, query: str, limit: int, documents: Sequence[str] = ()) -> Found:
        del base_id, level
        return self.corpus.best(self.vectors @ self._vector(query), limit, documents)

    def nearness(self, base_id: str, level: str, query: str, ids: Sequence[str]) -> dict[str, Nearness]:
        del base_id, level
        entries = [self.corpus.entries[self.corpus.places[id]] for id in ids]
        return {entry.chunk_id: Nearness(self._near(query, entry), is_unspaced(entry.text)) for entry in entries}

    def count(self, base_id: str, level: str) -> int:
        del base_id, level
        return len(self.corpus.entries)

    def progress(self, base_id: str, levels: Sequence[str] = LEVELS) -> VectorProgress:
        return VectorProgress(self.count(base_id, ""), self.count(base_id, ""))

    def _vector(self, text: str) -> Any:
        return np.asarray(self.embedder.embed_query(text), np.float32)

    def _near(self, query: str, entry: IndexEntry) -> float | None:
        found = self.embedder.embed_parts([parts_of(entry)])
        if found is None:
            return None
        ((whole, _),) = vectors_of(self.embedder, [entry])
        vector = self._vector(query)
        return float((np.asarray(whole) @ vector + max(found[0] @ vector)) / 2)


class ExactWords(FakeLexicalIndex):
    """LexicalIndex: the BM25 of every passage, over text and heading, with their true lengths."""

    def __init__(self, corpus: Corpus) -> None:
        super().__init__()
        self.corpus = corpus
        headings = [terms(f"{entry.title}\n{entry.section}") for entry in corpus.entries]
        bodies = [[*heading, *terms(entry.text)] for heading, entry in zip(headings, corpus.entries, strict=True)]
        self.fields = ((_postings(bodies), 1.0), (_postings(headings), HEADING_WEIGHT))
        self.held = [frozenset(body) for body in bodies]
        self.named: dict[str, list[int]] = defaultdict(list)
        for place, entry in enumerate(corpus.entries):
            for key in {title_key(entry.title), title_key(entry.section.rpartition("\n")[2])} - {""}:
                self.named[key].append(place)

    def search(self, base_id: str, level: str, query: str, limit: int, documents: Sequence[str] = ()) -> Found:
        del base_id, level
        return self.corpus.best(self.scores(query), limit, documents)

    def scores(self, query: str) -> Any:
        count = len(self.corpus.entries)
        scores = np.zeros(count)
        for postings, weight in self.fields:
            for term in set(query_terms(query)) & postings.keys():
                places, gains = postings[term]
                scores[places] += weight * math.log(1 + (count - len(places) + 0.5) / (len(places) + 0.5)) * gains
        return scores

    def titled(
        self, base_id: str, level: str, names: Sequence[str], query: str, limit: int
    ) -> list[tuple[str, str, str]]:
        del base_id, level
        by_key = {key: name for name in reversed(names) if (key := title_key(name))}
        scores, found = self.scores(query), defaultdict(list)
        for key in by_key.keys() & self.named.keys():
            for place in self.named[key]:
                found[place].append(by_key[key])
        best = sorted(found, key=lambda place: (-scores[place], place))[:limit]
        entries = self.corpus.entries
        return [(entries[it].chunk_id, entries[it].document_id, name) for it in best for name in found[it]]

    def matches(self, base_id: str, level: str, terms: Sequence[str], ids: Sequence[str]) -> dict[str, frozenset[str]]:
        return {id: frozenset(terms) & self.held[self.corpus.places[id]] for id in ids}

    def frequencies(self, base_id: str, level: str, terms: Sequence[str]) -> tuple[int, dict[str, int]]:
        bodies, _ = self.fields[0]
        return len(self.held), {term: len(bodies[term][0]) if term in bodies else 0 for term in terms}

    def documents_of(self, base_id: str, level: str, ids: Sequence[str]) -> dict[str, str]:
        return {id: self.corpus.entries[self.corpus.places[id]].document_id for id in ids}

    def count(self, base_id: str, level: str) -> int:
        del base_id, level
        return len(self.held)


def _postings(texts: Iterable[Sequence[str]]) -> Postings:
    found: dict[str, tuple[list[int], list[int]]] = {}
    lengths = []
    for place, held in enumerate(texts):
        lengths.append(len(held))
        for term, count in Counter(held).items():
            places, times = found.setdefault(term, ([], []))
            places.append(place)
            times.append(count)
    norms = K1 * (1 - B + B * np.array(lengths) / max(float(np.mean(lengths)), 1e-9))
    return {
        term: (np.array(places), np.array(times) * (K1 + 1) / (np.array(times) + norms[places]))
        for term, (places, times) in found.items()
    }
