"""Ranking memories: near, important, fresh; the user's words do not age, conclusions do."""

from datetime import timedelta

import pytest

from core.memory.model import Memory, MemoryKind
from core.memory.ranking import BEST, FARTHEST, freshness, rank, score
from tests.fakes import NOW, memory_of


@pytest.mark.parametrize(
    ("distance", "importance", "hours", "expected"),
    [
        (0.0, 0, 0.0, 1.5),
        (0.0, 10, 0.0, 3.0),
        (1.0, 0, 0.0, 0.75),
        (0.0, 0, 1e12, 1.0 + 0.5 / (1 + 27.631)),
        (-0.1, 0, -5.0, 1.5),
    ],
)
def test_score(distance: float, importance: int, hours: float, expected: float) -> None:
    assert score(distance, importance, hours) == pytest.approx(expected, rel=1e-3)


def ids(*candidates: tuple[Memory, float], versions: dict[str, int] | None = None) -> list[str]:
    return [item.memory.id for item in rank(candidates, NOW, versions or {})]


def test_the_nearest_of_like_memories_comes_first_and_three_are_enough() -> None:
    found = ids(*((memory_of(str(at)), at / 10) for at in range(6)))
    assert found == ["m-0", "m-1", "m-2"]
    assert len(found) == BEST


def test_importance_and_use_outweigh_a_little_distance() -> None:
    assert ids((memory_of("a", importance=1), 0.1), (memory_of("b", importance=9), 0.2)) == ["m-b", "m-a"]
    stale = memory_of("old", last_used_at=NOW - timedelta(days=300))
    assert ids((stale, 0.1), (memory_of("new"), 0.15)) == ["m-new", "m-old"]


def test_what_is_far_is_no_memory_of_the_question_unless_it_is_a_preference_or_pinned() -> None:
    far = FARTHEST + 0.1
    assert ids((memory_of("fact"), far)) == []
    assert ids((memory_of("wish", MemoryKind.PREFERENCE), far)) == ["m-wish"]
    assert ids((memory_of("pin", pinned=True), far)) == ["m-pin"]


def test_ties_are_broken_the_same_way_every_time() -> None:
    assert ids((memory_of("b"), 0.1), (memory_of("a"), 0.1)) == ids((memory_of("a"), 0.1), (memory_of("b"), 0.1))


def test_a_conclusion_loses_weight_with_every_change_of_its_base() -> None:
    conclusion = memory_of("x", MemoryKind.CONCLUSION, base_id="b", index_version=3)
    assert freshness(conclusion, 3) == 1.0
    assert freshness(conclusion, 4) == 0.5
    assert 0 < freshness(conclusion, 40) < freshness(conclusion, 4)


def test_the_users_own_words_do_not_age() -> None:
    assert freshness(memory_of("x", base_id="b", index_version=1), 50) == 1.0
    assert freshness(memory_of("x", MemoryKind.CONCLUSION, base_id="", index_version=1), 50) == 1.0


def test_a_stale_conclusion_yields_to_a_fresh_one() -> None:
    old = memory_of("old", MemoryKind.CONCLUSION, base_id="b", index_version=1)
    new = memory_of("new", MemoryKind.CONCLUSION, base_id="b", index_version=5)
    assert ids((old, 0.1), (new, 0.3), versions={"b": 5}) == ["m-new", "m-old"]
