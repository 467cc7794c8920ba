"""A knowledge base of small documents with everything a retriever stands on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from sqlalchemy import Engine

from core.documents.model import KnowledgeBase
from core.documents.ports.library import Library
from core.documents.store.library import sql_library
from core.graph.store.graph import SqlGraph
from core.search.index.tantivy_index import TantivyIndex
from core.search.ports import IndexEntry
from core.search.retrieval.index_integrity import rebuild
from core.search.retrieval.ranking import VectorWeight, weight_of_hashed_words
from core.search.retrieval.retriever import hybrid_retriever
from tests.fakes.indexes import FakeChunkIndex
from tests.store.samples import add, publication


@dataclass
class World:
    """Titles lead to documents; one chunk a text."""

    engine: Engine
    folder: Path
    similarity: Callable[[str, IndexEntry], float] | None = None
    vector_weight: VectorWeight = weight_of_hashed_words
    library: Library = field(init=False)
    base: KnowledgeBase = field(init=False)

    def __post_init__(self) -> None:
        self.library = sql_library(self.engine)
        self.base = self.library.bases.create("World")
        self.lexical_index = TantivyIndex(self.folder)
        self.chunk_index = FakeChunkIndex(self.similarity)
        self.retriever = hybrid_retriever(
            self.library, self.chunk_index, self.lexical_index, SqlGraph(self.engine), self.vector_weight
        )

    def publish(self, title: str, *texts: str, names: Mapping[str, str] | None = None) -> None:
        """names: entities with their types, mentioned wherever they stand in a text."""
        document = add(self.library, self.base, title)
        made = publication(document, self.base, texts, names or {})
        self.library.publications.publish(replace(made, title=title))

    def index(self) -> None:
        passages = self.library.passages
        rebuild(self.library.bases, passages, self.base.id, (self.chunk_index, self.lexical_index))
        for level in ("chunks", "summaries"):
            for entries in passages.index_entries(self.base.id, level):
                self.chunk_index.upsert(self.base.id, level, entries)

    def titles(self, chunk_ids: list[str]) -> list[str]:
        return [passage.document_name for passage in self.library.passages.get(chunk_ids)]

    def found(self, route: str, query: str, limit: int = 10) -> dict[str, float]:
        """Scores by title, best first."""
        hits = getattr(self.retriever, route)(self.base.id, query, limit)
        titles = self.titles([hit.chunk_id for hit in hits])
        scores: dict[str, float] = {}
        for title, hit in zip(titles, hits, strict=True):
            scores.setdefault(title, hit.score)
        return scores
