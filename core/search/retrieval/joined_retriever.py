"""A retriever that searches several knowledge bases and joins what it finds."""

from collections.abc import Callable, Sequence

from core.search.model import Hit
from core.search.ports import Retriever


class JoinedRetriever:
    """The Retriever of one question. Scores are probabilities, so hits of different bases can be ranked together."""

    def __init__(self, search: Retriever, bases: Sequence[str]) -> None:
        """bases: all that are searched; the question's own is among them."""
        self._search = search
        self._bases = tuple(dict.fromkeys(bases))

    def chunks(self, base_id: str, query: str, limit: int, documents: Sequence[str] = ()) -> list[Hit]:
        return self._joined(base_id, limit, lambda base: self._search.chunks(base, query, limit, documents))

    def probe(self, base_id: str, query: str, limit: int, documents: Sequence[str]) -> list[Hit]:
        return self._search.probe(base_id, query, limit, documents)

    def hierarchical(self, base_id: str, query: str, limit: int) -> list[Hit]:
        return self._joined(base_id, limit, lambda base: self._search.hierarchical(base, query, limit))

    def graph(self, base_id: str, query: str, limit: int) -> list[Hit]:
        return self._joined(base_id, limit, lambda base: self._search.graph(base, query, limit))

    def _joined(self, base_id: str, limit: int, search: Callable[[str], list[Hit]]) -> list[Hit]:
        """Of all bases; of one alone where a tool asks for one that is not among them."""
        bases = self._bases if base_id in self._bases else (base_id,)
        best: dict[str, Hit] = {}
        for hit in (hit for base in bases for hit in search(base)):
            if hit.chunk_id not in best or best[hit.chunk_id].score < hit.score:
                best[hit.chunk_id] = hit
        return sorted(best.values(), key=lambda hit: -hit.score)[:limit]
