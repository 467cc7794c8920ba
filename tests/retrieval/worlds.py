"""A knowledge base of small documents with everything a retriever stands on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sqlalchemy import Engine

from core.adapters.sql.graph import SqlGraph
from core.adapters.sql.library import SqlLibrary
from core.adapters.tantivy_index import TantivyIndex
from core.domain.documents import KnowledgeBase
from core.ports import IndexEntry
from core.retrieval.rebuild import rebuild
from core.retrieval.retriever import HybridRetriever
from tests.contracts.index_fakes import FakeChunkIndex
from tests.sql.samples import add, publication


@dataclass
class World:
    """Titles lead to documents; one chunk a text."""

    engine: Engine
    folder: Path
    similarity: Callable[[str, IndexEntry], float] | None = None
    semantic: bool = False
    library: SqlLibrary = field(init=False)
    base: KnowledgeBase = field(init=False)

    def __post_init__(self) -> None:
        self.library = SqlLibrary(self.engine)
        self.base = self.library.create_base("World")
        self.lexical_index = TantivyIndex(self.folder)
        self.chunk_index = FakeChunkIndex(self.similarity)
        self.retriever = HybridRetriever(
            self.library, self.chunk_index, self.lexical_index, SqlGraph(self.engine), self.semantic
        )

    def publish(self, title: str, *texts: str, names: Mapping[str, str] | None = None) -> None:
        """names: entities with their types, mentioned wherever they stand in a text."""
        document = add(self.library, self.base, title)
        made = publication(document, self.base, texts, names or {})
        self.library.publish(replace(made, title=title))

    def index(self) -> None:
        rebuild(self.library, self.base.id, (self.lexical_index, self.chunk_index))

    def titles(self, chunk_ids: list[str]) -> list[str]:
        return [passage.document_name for passage in self.library.passages(chunk_ids)]

    def found(self, route: str, query: str, limit: int = 10) -> dict[str, float]:
        """Scores by title, best first."""
        hits = getattr(self.retriever, route)(self.base.id, query, limit)
        titles = self.titles([hit.chunk_id for hit in hits])
        scores: dict[str, float] = {}
        for title, hit in zip(titles, hits, strict=True):
            scores.setdefault(title, hit.score)
        return scores
