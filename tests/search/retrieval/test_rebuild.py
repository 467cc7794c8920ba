import shutil
from pathlib import Path

import pytest
from sqlalchemy import Engine

from core.documents.pipeline.vector_builder import VectorBuilder
from core.graph.store.graph import SqlGraph
from core.models.embedding.hashed import HashedEmbedder
from core.platform.errors import ServiceError
from core.search.index.chroma_index import ChromaIndex
from core.search.retrieval.index_integrity import rebuild
from core.search.retrieval.retriever import HybridRetriever, hybrid_retriever
from core.search.store.vectors import SqlVectorStore
from tests.search.retrieval.worlds import World


@pytest.fixture
def chroma_index(films: World, tmp_path: Path) -> ChromaIndex:
    index = ChromaIndex(tmp_path / "chroma", HashedEmbedder(), SqlVectorStore(films.engine))
    rebuild_all(films, films.base.id, index)
    return index


def rebuild_all(films: World, base_id: str, index: ChromaIndex) -> int:
    library = films.library
    found = rebuild(library.bases, library.passages, base_id, (index, films.lexical_index))
    while VectorBuilder(library.bases, library.documents, index).build(base_id):
        pass
    return found


@pytest.fixture
def retriever(films: World, chroma_index: ChromaIndex, engine: Engine) -> HybridRetriever:
    return hybrid_retriever(films.library, chroma_index, films.lexical_index, SqlGraph(engine))


def test_losing_the_chroma_folder_is_told_and_repaired_from_sql(
    films: World, chroma_index: ChromaIndex, retriever: HybridRetriever, tmp_path: Path
) -> None:
    before = retriever.graph(films.base.id, "Who directed Levity?", 10)
    shutil.rmtree(tmp_path / "chroma")
    with pytest.raises(ServiceError, match="rebuild-index"):
        retriever.graph(films.base.id, "Who directed Levity?", 10)
    assert rebuild_all(films, films.base.id, chroma_index) == 8
    assert retriever.graph(films.base.id, "Who directed Levity?", 10) == before


def test_a_rebuild_leaves_nothing_behind_that_the_library_does_not_hold(
    films: World, chroma_index: ChromaIndex
) -> None:
    document = films.library.documents.of_base(films.base.id)[0]
    films.library.documents.delete(document.id)
    rebuild_all(films, films.base.id, chroma_index)
    assert chroma_index.count(films.base.id, "chunks") == films.lexical_index.count(films.base.id, "chunks") == 7
    assert chroma_index.count(films.base.id, "summaries") == 7


def test_an_empty_base_has_empty_indexes_after_a_rebuild(films: World, chroma_index: ChromaIndex) -> None:
    base = films.library.bases.create("Empty")
    assert rebuild_all(films, base.id, chroma_index) == 0
    assert films.lexical_index.count(base.id, "summaries") == 0
