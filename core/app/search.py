"""The indexes, and the retriever over them."""

import threading
from typing import TYPE_CHECKING

from core.app.lazy import Area, configured, lazy
from core.app.models import Models
from core.app.storage import Storage
from core.documents.pipeline.vector_builder import VectorBuilder
from core.search.index.chroma_index import ChromaIndex, answers
from core.search.ports import LEVELS, ChunkIndex, LexicalIndex, VectorProgress
from core.search.retrieval.index_integrity import IndexIntegrity, rebuild
from core.search.retrieval.ranking import vector_weight_of
from core.search.retrieval.retriever import HybridRetriever, hybrid_retriever
from core.search.store.index_changes import SqlIndexChanges
from core.search.store.vectors import SqlVectorStore

if TYPE_CHECKING:
    from core.search.index.index_replica import ReplicatedWords


class SearchParts(Area):
    def __init__(self, models: Models, storage: Storage) -> None:
        super().__init__(storage.configuration)
        self._models = models
        self._storage = storage
        self._stop = threading.Event()

    @lazy
    def chunk_index(self) -> ChromaIndex:
        settings = self.settings
        return ChromaIndex(settings.data / "chroma", self._models.embedder, self._vectors, settings.chroma_url)

    def server_answers(self) -> bool:
        """Whether the server of the vectors answers; True if they are in the data folder."""
        if not self.settings.chroma_url:
            return True

        return answers(self.settings.chroma_url)

    @lazy
    def _vectors(self) -> SqlVectorStore:
        return SqlVectorStore(self._storage.engine)

    def vector_progress(self, base_id: str) -> VectorProgress:
        """Progress of the vectors, without loading the index, because pages ask while they are drawn."""
        return self._vectors.recent_progress(base_id, self._models.embedder.name)

    def digests(self, base_id: str, level: str, limit: int) -> dict[str, str]:
        """Digests of the texts that vectors were made of, for at most `limit` entries."""
        return self._vectors.digests(base_id, level, self._models.embedder.name, limit)

    @property
    def makes_vectors_here(self) -> bool:
        """Rather than an endpoint, which may charge for each."""
        return not (self.settings.embedding_base_url.strip() or self.settings.embedding_model.strip())

    @lazy
    def vector_builder(self) -> VectorBuilder:
        library = self._storage.library
        return VectorBuilder(library.bases, library.documents, self.chunk_index)

    @lazy
    def lexical_index(self) -> LexicalIndex:
        from core.search.index.tantivy_index import TantivyIndex

        return self.words if self.settings.is_shared else TantivyIndex(self.settings.data / "lexical")

    @lazy
    def words(self) -> "ReplicatedWords":
        """The copy of the word index for this data folder, which follows what other processes publish."""
        from core.search.index.index_replica import ReplicatedWords

        return ReplicatedWords(self.settings.data / "lexical", SqlIndexChanges(self._storage.engine))

    def follow_words(self) -> None:
        """Follows what other processes publish, in the background until close(), if there are any."""
        if self.settings.is_shared:
            threading.Thread(target=self.words.serve, args=(self._stop,), name="words", daemon=True).start()

    def close(self) -> None:
        self._stop.set()

    @property
    def indexes(self) -> tuple[ChunkIndex, LexicalIndex]:
        return self.chunk_index, self.lexical_index

    @configured
    def retriever(self) -> HybridRetriever:
        storage, weight = self._storage, vector_weight_of(self._models.embedder)
        return hybrid_retriever(storage.library, self.chunk_index, self.lexical_index, storage.graph, weight)

    def checked(self, base_id: str) -> VectorProgress:
        """Progress of the vectors of a base. Raises ServiceError if an index has less than it should."""
        self.chunk_index.check_graphs(base_id)
        integrity = IndexIntegrity(self._storage.library.bases, self.lexical_index, self.chunk_index)
        for level in LEVELS:
            integrity.searchable(base_id, level)
        return self.chunk_index.progress(base_id)

    def rebuild(self, base_id: str) -> None:
        """The words are found again when it returns; the vectors follow. Raises NotFoundError for an unknown base."""
        library = self._storage.library
        rebuild(library.bases, library.passages, base_id, self.indexes)
