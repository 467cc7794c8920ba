"""A retriever in memory."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.platform.language.terms import content_terms
from core.search.model import Hit
from tests.fakes.library import FakeLibrary


@dataclass
class FakeRetriever:
    """Scores chunks by the share of the query's content terms that they hold; notes what it was asked."""

    library: FakeLibrary
    asked: list[tuple[str, str]] = field(default_factory=list)
    failure: Exception | None = None

    def chunks(self, base_id: str, query: str, limit: int, documents: Sequence[str] = ()) -> list[Hit]:
        return self._found("chunks", query, limit, documents)

    def hierarchical(self, base_id: str, query: str, limit: int) -> list[Hit]:
        return self._found("hierarchical", query, limit, ())

    def graph(self, base_id: str, query: str, limit: int) -> list[Hit]:
        return self._found("graph", query, limit, ())

    def _found(self, route: str, query: str, limit: int, documents: Sequence[str]) -> list[Hit]:
        self.asked.append((route, query))
        if self.failure:
            raise self.failure
        wanted = set(content_terms(query))
        hits = [
            Hit(chunk.id, len(wanted & set(content_terms(f"{' '.join(chunk.section)} {chunk.text}"))) / len(wanted))
            for chunk in self.library.passages.chunk_list
            if wanted and (not documents or chunk.document_id in documents)
        ]
        best = sorted((hit for hit in hits if hit.score > 0), key=lambda hit: (-hit.score, hit.chunk_id))
        return [replace(hit, sources=("lexical",)) for hit in best[:limit]]
