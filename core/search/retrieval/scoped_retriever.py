"""A retriever limited to some documents and entities, which also returns passages that the user insists on."""

from collections.abc import Sequence

from core.graph.ports import KnowledgeGraph
from core.runs.model import RunOptions
from core.search.model import Hit
from core.search.ports import Retriever

WIDER = 6
"""Factor of additional hits to examine, because only some of them mention the entities."""
MENTIONING = 20_000
"""Limit of chunks that mention the entities."""
INSISTED = "reader"
"""Source of a hit that was added at the user's request."""


class ScopedRetriever:
    """The Retriever of one question. In a scope every route is a plain search: summaries and hops lead out of it."""

    def __init__(self, search: Retriever, graph: KnowledgeGraph, options: RunOptions) -> None:
        self._search = search
        self._options = options
        found = graph.chunks_of(options.entities, MENTIONING) if options.entities else []
        self._mentioning = {chunk_id for chunk_id, _ in found}

    def chunks(self, base_id: str, query: str, limit: int, documents: Sequence[str] = ()) -> list[Hit]:
        if not self._options.is_limited:
            return self._with_insisted(self._search.chunks(base_id, query, limit, documents), limit)
        return self._with_insisted(self._within(base_id, query, limit, documents), limit)

    def probe(self, base_id: str, query: str, limit: int, documents: Sequence[str]) -> list[Hit]:
        return self._search.probe(base_id, query, limit, documents)

    def hierarchical(self, base_id: str, query: str, limit: int) -> list[Hit]:
        if self._options.is_limited:
            return self.chunks(base_id, query, limit)
        return self._with_insisted(self._search.hierarchical(base_id, query, limit), limit)

    def graph(self, base_id: str, query: str, limit: int) -> list[Hit]:
        if self._options.is_limited:
            return self.chunks(base_id, query, limit)
        return self._with_insisted(self._search.graph(base_id, query, limit), limit)

    def _within(self, base_id: str, query: str, limit: int, documents: Sequence[str]) -> list[Hit]:
        """Of the documents, and what mentions the entities; documents: those that the question names."""
        found: dict[str, Hit] = {}
        if self._options.documents:
            both = [document for document in self._options.documents if document in documents]
            hits = self._search.chunks(base_id, query, limit, both or self._options.documents)
            found |= {hit.chunk_id: hit for hit in hits}
        if self._options.entities:
            wide = self._search.chunks(base_id, query, WIDER * limit, documents)
            found |= {hit.chunk_id: hit for hit in wide if hit.chunk_id in self._mentioning}
        return sorted(found.values(), key=lambda hit: -hit.score)[:limit]

    def _with_insisted(self, hits: list[Hit], limit: int) -> list[Hit]:
        insisted = [Hit(chunk_id, 1.0, (INSISTED,)) for chunk_id in self._options.insisted]
        return [*insisted, *(hit for hit in hits if hit.chunk_id not in self._options.insisted)][:limit]
