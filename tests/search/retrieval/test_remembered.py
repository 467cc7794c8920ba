from collections.abc import Sequence

import pytest

from core.search.retrieval.question_retrievers import RememberedRetriever
from tests.fakes.library import FakeLibrary
from tests.fakes.retriever import FakeRetriever
from tests.search.retrieval.worlds import World


def test_the_same_search_is_made_once_and_another_one_anew() -> None:
    search = FakeRetriever(FakeLibrary())
    retriever = RememberedRetriever(search)
    first = retriever.chunks("base", "tides", 10)
    first.clear()
    assert retriever.chunks("base", "tides", 10) == FakeRetriever(FakeLibrary()).chunks("base", "tides", 10)
    retriever.chunks("base", "tides", 10, ["d"])
    retriever.chunks("base", "ebb", 10)
    assert search.asked == [("chunks", "tides"), ("chunks", "tides"), ("chunks", "ebb")]


def test_what_failed_is_tried_again() -> None:
    search = FakeRetriever(FakeLibrary(), failure=ValueError())
    retriever = RememberedRetriever(search)
    for _ in range(2):
        try:
            retriever.chunks("base", "tides", 10)
        except ValueError:
            continue
    assert len(search.asked) == 2


def test_the_routes_of_one_question_share_their_first_hop_and_find_the_same(
    films: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = "Do both films Levity (Film) and I Come With The Rain have directors of the same nationality?"
    expected = [films.retriever.graph(films.base.id, query, 10), films.retriever.chunks(films.base.id, query, 10)]
    searched: list[str] = []
    search = films.lexical_index.search

    def counted(base_id: str, level: str, query: str, limit: int, documents: Sequence[str]) -> list[tuple[str, float]]:
        searched.append(query)
        return search(base_id, level, query, limit, documents)

    monkeypatch.setattr(films.lexical_index, "search", counted)
    own = films.retriever.of_one_question(lambda: None)
    assert [own.graph(films.base.id, query, 10), own.chunks(films.base.id, query, 10)] == expected
    assert len(searched) == 1
    films.retriever.of_one_question(lambda: None).chunks(films.base.id, query, 10)
    assert len(searched) == 2
