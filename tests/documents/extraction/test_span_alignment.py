"""Where names stand: whole words, every place, the longest of those that overlap."""

import pytest

from core.documents.extraction.span_alignment import (
    Placed,
    SearchedTexts,
    is_name,
    most_alike,
    nearest,
    occurrences,
    settled,
)


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("EskFlow and EskFlow", "EskFlow", ["EskFlow", "EskFlow"]),
        ("The Esk and EskFlow", "Esk", ["Esk"]),
        ("灌区采用润禾系统，润禾很好", "润禾", ["润禾", "润禾"]),
        ("基于PyTorch的模型", "PyTorch", ["PyTorch"]),
        ("Harrow\nValley  Water Board", "Harrow Valley Water Board", ["Harrow\nValley  Water Board"]),
        ("云岭灌区\n管理局位于临江", "云岭灌区管理局", ["云岭灌区\n管理局"]),
        ("pytorch", "PyTorch", ["pytorch"]),
        ("C++ and C", "C++", ["C++"]),
        ("nothing here", "Anything", []),
    ],
)
def test_places_of_a_name(text: str, name: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end, _ in occurrences(text, name)] == expected


def test_as_written_is_surer_than_nearly_so() -> None:
    assert occurrences("PyTorch", "PyTorch")[0][2] > occurrences("pytorch", "PyTorch")[0][2]


def test_of_overlapping_places_the_longer_stays() -> None:
    long, short, other = Placed(0, 10, "A", 0.9), Placed(5, 10, "B", 0.9), Placed(12, 14, "C", 0.9)
    assert settled([other, short, long]) == [long, other]
    assert settled([Placed(0, 4, "A", 0.9), Placed(0, 4, "B", 0.9)]) == [Placed(0, 4, "A", 0.9)]


def test_the_nearest_places_of_two_names() -> None:
    assert nearest([(0, 5), (100, 105)], [(90, 95)]) == ((100, 105), (90, 95))
    assert nearest([], [(90, 95)]) is None
    assert nearest([(0, 5)], [(3, 8)]) is None


def test_the_text_most_like_a_name() -> None:
    texts = {3: "The Council of Northmere", 7: "Northmere Council on Rivers met"}
    assert most_alike("Northmere Counsil on Rivers", texts) == 7
    assert most_alike("Nobody Incorporated", texts) is None
    assert most_alike("云岭灌溉区", {1: "云岭灌区", 2: "临江市"}) == 1


def test_figures_and_novels_are_no_names() -> None:
    assert is_name("润禾")
    assert not any(is_name(text) for text in ("", "a", "2024", "—…", "x" * 300))


@pytest.mark.parametrize(
    ("name", "holding"),
    [
        ("new  york", [0, 2]),
        ("York", [0, 2]),
        ("or", []),
        ("上海", [1]),
        ("ÖBB", [3]),
        ("the  City", [0]),
    ],
)
def test_of_several_texts_those_that_hold_a_name_are_found(name: str, holding: list[int]) -> None:
    texts = SearchedTexts(["The city of New\nYork", "人在上 海", "NEW YORK, new", "die öBB (Österreich)"])
    assert texts.holding(name) == holding
