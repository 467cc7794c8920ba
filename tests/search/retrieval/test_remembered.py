from collections.abc import Sequence

import pytest

from tests.search.retrieval.worlds import World


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
