"""Trying a query out on documents: the ranks that questions see, including disabled chunks."""

from tests.search.retrieval.worlds import World

QUERY = "Which river is the capital of France on?"


def test_a_probe_ranks_as_questions_do(films: World) -> None:
    documents = [document.id for document in films.library.documents.of_base(films.base.id)]
    assert films.retriever.probe(films.base.id, QUERY, 5, documents) == films.retriever.chunks(
        films.base.id, QUERY, 5, documents
    )


def test_a_probe_shows_what_is_off_where_it_would_stand(films: World) -> None:
    document = next(d for d in films.library.documents.of_base(films.base.id) if d.name == "Paris")
    before = films.retriever.chunks(films.base.id, QUERY, 5, [document.id])
    films.library.publications.enable_chunk(before[0].chunk_id, False)
    try:
        assert films.retriever.probe(films.base.id, QUERY, 5, [document.id]) == before
        assert before[0] not in films.retriever.chunks(films.base.id, QUERY, 5, [document.id])
    finally:
        films.library.publications.enable_chunk(before[0].chunk_id, True)
    assert films.retriever.probe(films.base.id, QUERY, 0, [document.id]) == []
