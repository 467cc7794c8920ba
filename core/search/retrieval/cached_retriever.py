"""A retriever that answers the same search of one question once."""

from collections.abc import Sequence

from core.search.model import Hit
from core.search.ports import Retriever


class RememberedRetriever:
    """The Retriever of one question: where nothing was found, the first search is asked for again at the end."""

    def __init__(self, search: Retriever) -> None:
        self._search = search
        self._found: dict[tuple[str, str, int, tuple[str, ...]], list[Hit]] = {}

    def chunks(self, base_id: str, query: str, limit: int, documents: Sequence[str] = ()) -> list[Hit]:
        key = base_id, query, limit, tuple(documents)
        if key not in self._found:
            self._found[key] = self._search.chunks(base_id, query, limit, documents)
        return [*self._found[key]]

    def probe(self, base_id: str, query: str, limit: int, documents: Sequence[str]) -> list[Hit]:
        return self._search.probe(base_id, query, limit, documents)

    def hierarchical(self, base_id: str, query: str, limit: int) -> list[Hit]:
        return self._search.hierarchical(base_id, query, limit)

    def graph(self, base_id: str, query: str, limit: int) -> list[Hit]:
        return self._search.graph(base_id, query, limit)
