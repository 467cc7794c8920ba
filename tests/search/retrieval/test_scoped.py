"""A search limited to some documents and entities, and passages that are insisted on."""

from collections.abc import Sequence
from typing import Any

import pytest

from core.runs.execution.mentions import mentioned, without_marks
from core.runs.model import Continuation, RunOptions
from core.search.model import Hit
from core.search.retrieval.question_retrievers import JoinedRetriever, ScopedRetriever
from tests.fakes.graph import FakeGraph

FOUND = [Hit(f"c{at}", 1 - at / 10) for at in range(6)]
DOCUMENT = {"c0": "a", "c1": "b", "c2": "a", "c3": "b", "c4": "c", "c5": "c"}


class Search:
    """Finds all it has of the documents, by every route."""

    def chunks(self, base_id: str, query: str, limit: int, documents: Sequence[str] = ()) -> list[Hit]:
        return [hit for hit in FOUND if not documents or DOCUMENT[hit.chunk_id] in documents][:limit]

    def hierarchical(self, base_id: str, query: str, limit: int) -> list[Hit]:
        return FOUND[:limit]

    def graph(self, base_id: str, query: str, limit: int) -> list[Hit]:
        return FOUND[:limit]


class Graph(FakeGraph):
    def chunks_of(self, entity_ids: Sequence[str], limit: int) -> list[tuple[str, int]]:
        return [("c3", 2), ("c5", 1)] if "e" in entity_ids else []


def ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.chunk_id for hit in hits]


def scoped(**options: Any) -> ScopedRetriever:
    return ScopedRetriever(Search(), Graph(), RunOptions(**options))


def test_every_route_stays_in_the_documents() -> None:
    search = scoped(documents=("a",))
    for found in (search.chunks("b", "q", 9), search.hierarchical("b", "q", 9), search.graph("b", "q", 9)):
        assert ids(found) == ["c0", "c2"]
    assert ids(scoped(documents=("a", "b")).chunks("b", "q", 9, ["b"])) == ["c1", "c3"]
    assert ids(scoped(documents=("a",)).chunks("b", "q", 9, ["b"])) == ["c0", "c2"]


def test_of_entities_what_mentions_them_is_found_and_both_add_up() -> None:
    assert ids(scoped(entities=("e",)).chunks("b", "q", 2)) == ["c3", "c5"]
    assert ids(scoped(entities=("e",), documents=("a",)).graph("b", "q", 9)) == ["c0", "c2", "c3", "c5"]
    assert scoped(entities=("nobody",)).chunks("b", "q", 9) == []


def test_what_is_insisted_on_comes_first() -> None:
    search = scoped(insisted=("c4", "gone"))
    assert ids(search.hierarchical("b", "q", 4)) == ["c4", "gone", "c0", "c1"]
    assert search.chunks("b", "q", 1)[0].score == 1.0


def test_what_the_reader_took_out_is_not_found_again() -> None:
    search = scoped(continues=Continuation("r1", "grade_evidence", 1, kept=(), dropped=("c0",)))
    for found in (search.chunks("b", "q", 2), search.hierarchical("b", "q", 2), search.graph("b", "q", 2)):
        assert ids(found) == ["c1"]


def test_names_with_a_sign_before_them_are_mentioned() -> None:
    assert mentioned("@SeaLoom, what is it?", "SeaLoom")
    assert mentioned('in @"station handbook" please', "Station handbook.pdf")
    assert mentioned("看@海洋站的记录", "海洋站")
    assert not mentioned("SeaLoom", "SeaLoom")
    assert not mentioned("@SeaLooms", "SeaLoom")
    assert not mentioned("@x", "")


def test_a_name_that_looks_like_a_file_is_part_of_the_question_where_no_file_limits_it() -> None:
    asked = without_marks("@Booking.com How many hotels are listed?", names_files=False)
    assert asked == "Booking.com How many hotels are listed?"


def test_the_signs_are_no_part_of_the_question() -> None:
    assert (
        without_marks('@SeaLoom and @"a b": who is a@b.org?', names_files=True) == 'SeaLoom and "a b": who is a@b.org?'
    )


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("@prices.csv What does the bit cost?", "What does the bit cost?"),
        ('@"price list.csv": how many are there?', "how many are there?"),
        ("@a.csv @b.pdf Which is newer?", "Which is newer?"),
        ("@手册.pdf 校准由谁负责？", "校准由谁负责？"),
        ("@prices.csv lists what?", "prices.csv lists what?"),
        ("@prices.csv What does it list?", "prices.csv What does it list?"),
        ("What does the bit cost in @prices.csv?", "What does the bit cost in prices.csv?"),
        ("@Node.js What is it?", "Node.js What is it?"),
    ],
)
def test_a_file_named_before_the_question_is_no_part_of_it(question: str, asked: str) -> None:
    assert without_marks(question, names_files=True) == asked


def test_several_bases_are_ranked_together_and_each_passage_counts_once() -> None:
    class Bases(Search):
        def chunks(self, base_id: str, query: str, limit: int, documents: Sequence[str] = ()) -> list[Hit]:
            return {"a": [Hit("x", 0.4), Hit("y", 0.2)], "b": [Hit("z", 0.3), Hit("x", 0.1)]}.get(base_id, [])

    search = JoinedRetriever(Bases(), ("a", "b", "a", "gone"))
    assert search.chunks("a", "q", 2) == [Hit("x", 0.4), Hit("z", 0.3)]
    assert ids(search.chunks("b", "q", 9)) == ["x", "z", "y"]
    assert search.chunks("c", "q", 9) == []
    assert ids(search.graph("a", "q", 9)) == ids(search.hierarchical("a", "q", 9)) == ids(FOUND)
