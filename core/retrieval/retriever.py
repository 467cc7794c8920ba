"""Hybrid search: words and vectors fused, summaries first, and second hops along names and shared entities."""

from collections.abc import Sequence
from itertools import islice

from core.domain.passages import Hit
from core.ports import ChunkIndex, KnowledgeGraph, LexicalIndex, Library
from core.retrieval.first_hop import EVERYWHERE, FirstHop, Search
from core.retrieval.ranking import Link, LinkKind
from core.retrieval.second_hop import SecondHop
from core.retrieval.selection import diversified
from core.retrieval.wholeness import Wholeness

SUMMARIES = 3
"""Documents that summaries lead to."""
SOURCES = 6
"""Best chunks that hops may start from."""
ROUNDS = ((6, 0.0), (3, 0.35))
"""Of each round of hops: from how many chunks at most, and with which score at least. The second one goes on from what
the first one found, for questions whose facts are a chain."""


class HybridRetriever:
    """The Retriever. semantic: whether the vectors know more than the words do, because a model made them."""

    def __init__(
        self,
        library: Library,
        chunk_index: ChunkIndex,
        lexical_index: LexicalIndex,
        graph: KnowledgeGraph,
        semantic: bool = False,
    ) -> None:
        self._library = library
        self._lexical_index = lexical_index
        self._semantic = semantic
        self._first = FirstHop(chunk_index, lexical_index)
        self._second = SecondHop(library, lexical_index, graph)
        self._wholeness = Wholeness(library, (lexical_index, chunk_index))

    def chunks(self, base_id: str, query: str, limit: int, documents: Sequence[str] = ()) -> list[Hit]:
        if not self._wholeness.has_chunks(base_id):
            return []
        return self._hits(self._first.find(base_id, "chunks", query, [documents]), limit)

    def probe(self, base_id: str, query: str, limit: int, documents: Sequence[str]) -> list[Hit]:
        if not self._wholeness.has_chunks(base_id):
            return []
        search = self._first.find(base_id, "chunks", query, [documents])
        return [self._hit(search, id) for id in self._ranked(search)[: max(limit, 0)]]

    def hierarchical(self, base_id: str, query: str, limit: int) -> list[Hit]:
        if not self._wholeness.has_chunks(base_id):
            return []
        summarised = self._summarised(base_id, query)
        scopes = [EVERYWHERE, list(summarised)] if summarised else [EVERYWHERE]
        search = self._first.find(base_id, "chunks", query, scopes)
        for id, document in self._lexical_index.documents_of(base_id, "chunks", list(search.candidates)).items():
            if document in summarised:
                search.candidates[id].links.append(Link(summarised[document], 0.0, 1.0, LinkKind.SUMMARY))
                search.candidates[id].sources.add("summary")
        return self._hits(search, limit)

    def graph(self, base_id: str, query: str, limit: int) -> list[Hit]:
        if not self._wholeness.has_chunks(base_id):
            return []
        search = self._first.find(base_id, "chunks", query)
        followed: set[str] = set()
        for most, least in ROUNDS:
            best = [id for id in self._ranked(search)[:SOURCES] if id not in followed]
            sources = {id: self._score(search, id) for id in best if self._score(search, id) >= least}
            scores = dict(islice(sources.items(), most))
            self._second.follow(self._first, search, scores)
            followed |= scores.keys()
        return self._hits(search, limit)

    def _summarised(self, base_id: str, query: str) -> dict[str, float]:
        """The documents of the best summaries with the scores of these."""
        search = self._first.find(base_id, "summaries", query)
        ranked = self._ranked(search)
        documents = self._lexical_index.documents_of(base_id, "summaries", ranked)
        scores: dict[str, float] = {}
        for id in ranked:
            if id in documents and len(scores) < SUMMARIES:
                scores.setdefault(documents[id], self._score(search, id))
        return scores

    def _ranked(self, search: Search) -> list[str]:
        return diversified(search.candidates, search.weights, self._semantic)

    def _score(self, search: Search, id: str) -> float:
        return search.candidates[id].score(self._semantic)

    def _hit(self, search: Search, id: str) -> Hit:
        return Hit(id, self._score(search, id), tuple(sorted(search.candidates[id].sources)))

    def _hits(self, search: Search, limit: int) -> list[Hit]:
        """Of ready documents and enabled chunks only."""
        ranked = self._ranked(search)
        hits: list[Hit] = []
        for start in range(0, len(ranked), max(limit, 1)):
            batch = ranked[start : start + limit]
            visible = self._library.visible(batch)
            hits += [self._hit(search, id) for id in batch if id in visible]
            if len(hits) >= limit:
                break
        return hits[: max(limit, 0)]
