from core.retrieval.remembered import RememberedRetriever
from tests.fakes.library import FakeLibrary
from tests.fakes.retriever import FakeRetriever


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
