"""Searches in a base whose vectors are still being made: every route works, and the question learns of it."""

from pathlib import Path

import pytest

from core.documents.pipeline import vector_builder
from core.documents.pipeline.vector_builder import VectorBuilder
from core.graph.store.graph import SqlGraph
from core.models.embedding.hashed import HashedEmbedder
from core.platform.errors import ServiceError
from core.search.index.chroma_index import ChromaIndex
from core.search.ports import LEVELS, ChunkIndex, VectorProgress
from core.search.retrieval import index_integrity
from core.search.retrieval.index_integrity import IndexIntegrity, Searchable, rebuild
from core.search.retrieval.retriever import hybrid_retriever
from core.search.store.vectors import SqlVectorStore
from tests.search.retrieval.worlds import World

QUERY = "Who directed Levity?"
ROUTES = ("chunks", "hierarchical", "graph")


@pytest.fixture
def index(films: World, tmp_path: Path) -> ChromaIndex:
    """The words of the films are indexed, and no vectors."""
    return ChromaIndex(tmp_path / "chroma", HashedEmbedder(), SqlVectorStore(films.engine))


def asked(films: World, index: ChunkIndex) -> bool:
    """Asks a new question by every route; whether it was said that the vectors are unfinished."""
    said: list[str] = []
    retriever = hybrid_retriever(films.library, index, films.lexical_index, SqlGraph(films.engine))
    question = retriever.of_one_question(lambda: said.append("unfinished"))
    for route in ROUTES:
        hits = getattr(question, route)(films.base.id, QUERY, 5)
        assert films.titles([hits[0].chunk_id]) == ["Levity (film)"]
    assert len(said) < 2
    return bool(said)


def test_a_question_at_any_moment_finds_what_is_there_and_says_that_more_is_to_come(
    films: World, index: ChromaIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_builder, "BATCH", 3)
    builder, seen = VectorBuilder(films.library.bases, films.library.documents, index), []
    while True:
        seen.append((index.progress(films.base.id).done, asked(films, index)))
        if not builder.step():
            break
    assert seen == [(0, True), (3, True), (6, True), (8, True), (11, True), (14, True), (16, False)]


def test_a_question_during_a_rebuild_says_so_in_a_process_that_saw_the_base_whole(
    films: World, index: ChromaIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = VectorBuilder(films.library.bases, films.library.documents, index)
    while builder.step():
        pass
    retriever, said = hybrid_retriever(films.library, index, films.lexical_index, SqlGraph(films.engine)), list[str]()
    before = retriever.of_one_question(lambda: said.append("before")).hierarchical(films.base.id, QUERY, 5)
    rebuild(films.library.bases, films.library.passages, films.base.id, (index, films.lexical_index))
    monkeypatch.setattr(index_integrity, "COUNTED_SECONDS", -1.0)
    found = retriever.of_one_question(lambda: said.append("during")).hierarchical(films.base.id, QUERY, 5)
    assert found[0].chunk_id == before[0].chunk_id
    assert said == ["during"]


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_that_lost_its_vectors_is_an_error_for_the_searches_that_read_it(
    films: World, index: ChromaIndex, level: str
) -> None:
    store = SqlVectorStore(films.engine)
    builder = VectorBuilder(films.library.bases, films.library.documents, index)
    while builder.step():
        pass
    made = {each: store.digests(films.base.id, each, HashedEmbedder().name, 99) for each in LEVELS}
    assert all(map(len, made.values()))
    lost = LosesLevel(index, level)
    with pytest.raises(ServiceError, match="0 of 8 passages or summaries"):
        asked(films, lost)


class LosesLevel(ChromaIndex):
    """An index of which one level can be counted and holds nothing."""

    def __init__(self, index: ChromaIndex, level: str) -> None:
        vars(self).update(vars(index))
        self.lost = level

    def count(self, base_id: str, level: str) -> int:
        return 0 if level == self.lost else super().count(base_id, level)


class Restless(LosesLevel):
    """An index that is thrown away and made anew while it is counted for the first time."""

    def __init__(self, index: ChromaIndex) -> None:
        super().__init__(index, "")
        self.states = [(8, 0), (5, 8), (8, 8), (8, 8)]
        """Vectors in the store, and in the index."""

    def progress(self, base_id: str, levels: object = LEVELS) -> VectorProgress:
        return VectorProgress(self.states[0][0], 8)

    def count(self, base_id: str, level: str) -> int:
        return self.states.pop(0)[1]


def test_what_changes_while_it_is_counted_is_no_loss(films: World, index: ChromaIndex) -> None:
    integrity = IndexIntegrity(films.library.bases, films.lexical_index, Restless(index))
    assert integrity.searchable(films.base.id, "chunks") is Searchable.BY_BOTH
