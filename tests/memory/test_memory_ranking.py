"""Which memories are recalled: pinned, relevant, preferences; the user's words do not age, conclusions do."""

from core.memory.model import Found, Memory, MemoryKind
from core.memory.relevance import BEST, RELEVANT, best_of, freshness
from tests.fakes import memory_of

NOT_RELEVANT = RELEVANT / 2


def ids(*found: tuple[Memory, float], versions: dict[str, int] | None = None) -> list[str]:
    return [one.memory.id for one in best_of([Found(*each) for each in found], versions or {})]


def test_the_best_come_first_and_three_are_enough() -> None:
    found = ids(*((memory_of(str(at)), 0.9 - at / 10) for at in range(6)))
    assert found == ["m-0", "m-1", "m-2"]
    assert len(found) == BEST


def test_what_does_not_bear_on_the_question_is_left_out_unless_it_is_pinned_or_a_preference() -> None:
    assert ids((memory_of("fact"), NOT_RELEVANT)) == []
    wish, pin, fact = memory_of("wish", MemoryKind.PREFERENCE), memory_of("pin", pinned=True), memory_of("fact")
    assert ids((wish, 0.0), (fact, 0.5), (pin, 0.0)) == ["m-pin", "m-fact", "m-wish"]


def test_ties_are_broken_the_same_way_every_time() -> None:
    assert ids((memory_of("b"), 0.5), (memory_of("a"), 0.5)) == ids((memory_of("a"), 0.5), (memory_of("b"), 0.5))


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
    assert ids((old, 0.8), (new, 0.5), versions={"b": 5}) == ["m-new", "m-old"]
