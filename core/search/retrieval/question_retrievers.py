"""Retrievers that wrap another one for a question: limited to a scope, or over several knowledge bases."""

from collections.abc import Callable, Sequence

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


class JoinedRetriever:
    """A Retriever over several bases. Scores are probabilities, so hits of different bases can be ranked together."""

    def __init__(self, search: Retriever, bases: Sequence[str]) -> None:
        """bases: all that are searched; the question's own is among them."""
        self._search = search
        self._bases = tuple(dict.fromkeys(bases))

    def chunks(self, base_id: str, query: str, limit: int, documents: Sequence[str] = ()) -> list[Hit]:
        return self._joined(base_id, limit, lambda base: self._search.chunks(base, query, limit, documents))

    def hierarchical(self, base_id: str, query: str, limit: int) -> list[Hit]:
        return self._joined(base_id, limit, lambda base: self._search.hierarchical(base, query, limit))

    def graph(self, base_id: str, query: str, limit: int) -> list[Hit]:
        return self._joined(base_id, limit, lambda base: self._search.graph(base, query, limit))

    def _joined(self, base_id: str, limit: int, search: Callable[[str], list[Hit]]) -> list[Hit]:
        """The best hits of all bases, or of one where a tool asks for one that is not among them."""
        bases = self._bases if base_id in self._bases else (base_id,)
        best: dict[str, Hit] = {}
        for hit in (hit for base in bases for hit in search(base)):
            if hit.chunk_id not in best or best[hit.chunk_id].score < hit.score:
                best[hit.chunk_id] = hit
        return sorted(best.values(), key=lambda hit: -hit.score)[:limit]


class ScopedRetriever:
    """A Retriever limited to some documents and entities, with the passages that the user insists on, without those
    that the user took out.

    In a scope every route is a plain search: summaries and hops lead out of it.
    """

    def __init__(self, search: Retriever, graph: KnowledgeGraph, options: RunOptions) -> None:
        self._search = search
        self._options = options
        self._dropped = options.continues.dropped if options.continues else ()
        found = graph.chunks_of(options.entities, MENTIONING) if options.entities else []
        self._mentioning = {chunk_id for chunk_id, _ in found}

    def chunks(self, base_id: str, query: str, limit: int, documents: Sequence[str] = ()) -> list[Hit]:
        search = self._within if self._options.is_limited else self._search.chunks
        return self._as_wished(search(base_id, query, limit, documents), limit)

    def hierarchical(self, base_id: str, query: str, limit: int) -> list[Hit]:
        if self._options.is_limited:
            return self.chunks(base_id, query, limit)
        return self._as_wished(self._search.hierarchical(base_id, query, limit), limit)

    def graph(self, base_id: str, query: str, limit: int) -> list[Hit]:
        if self._options.is_limited:
            return self.chunks(base_id, query, limit)
        return self._as_wished(self._search.graph(base_id, query, limit), limit)

    def _within(self, base_id: str, query: str, limit: int, documents: Sequence[str]) -> list[Hit]:
        """Hits in the documents, and those that mention the entities. documents: those that the question names."""
        found: dict[str, Hit] = {}
        if self._options.documents:
            both = [document for document in self._options.documents if document in documents]
            hits = self._search.chunks(base_id, query, limit, both or self._options.documents)
            found |= {hit.chunk_id: hit for hit in hits}
        if self._options.entities:
            wide = self._search.chunks(base_id, query, WIDER * limit, documents)
            found |= {hit.chunk_id: hit for hit in wide if hit.chunk_id in self._mentioning}
        return sorted(found.values(), key=lambda hit: -hit.score)[:limit]

    def _as_wished(self, hits: list[Hit], limit: int) -> list[Hit]:
        insisted = [Hit(chunk_id, 1.0, (INSISTED,)) for chunk_id in self._options.insisted]
        others = (hit for hit in hits if hit.chunk_id not in self._options.insisted)
        return [hit for hit in (*insisted, *others) if hit.chunk_id not in self._dropped][:limit]
