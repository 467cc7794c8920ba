"""One ranking of memories by words, meaning, days, chats and importance."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from core.memory.model import Memory
from core.memory.relevance import found_among, found_by_words, listed, relevant
from core.platform.language.periods import Period, period_in
from core.search.retrieval.ranking import weight_of_sentences
from tests.fakes import memory_of

NOW = datetime(2026, 11, 25, 12, tzinfo=UTC)


def told(text: str, days_ago: int = 0, thread: str = "") -> Memory:
    return replace(memory_of(text), created_at=NOW - timedelta(days=days_ago), thread_id=thread)


def first(query: str, *memories: Memory) -> str:
    return found_by_words(query, memories, NOW)[0].memory.text


def test_names_and_words_are_found() -> None:
    memories = (told("Caroline: I went to the group"), told("Melanie: I went to the lake"), told("Rain"))
    assert first("Where did Melanie go?", *memories) == "Melanie: I went to the lake"
    assert relevant(found_by_words("Melanie", memories, NOW)) == [memories[1]]


def test_meaning_is_part_of_the_same_ranking() -> None:
    memories = [told("The vessel is blue"), told("The sky is grey"), told("The report is due")]
    found = found_among("Which colour has our ship?", memories, [0.8, 0.3, 0.1], weight_of_sentences, NOW)
    assert found[0].memory is memories[0]


def test_a_lone_memory_can_be_found_by_its_meaning() -> None:
    near, far = (
        found_among("Which colour has our ship?", [told("The vessel is blue")], [cosine], weight_of_sentences, NOW)[0]
        for cosine in (0.4, 0.1)
    )
    assert relevant([near])
    assert not relevant([far])


def test_the_last_word_may_not_be_written_out_yet() -> None:
    assert first("calib", told("The buoys are calibrated"), told("Cables are long")) == "The buoys are calibrated"


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What did we measure last week?", "We measure salt"),
        ("上周我们 measure 了什么？", "We measure salt"),
        ("What did we measure two months ago?", "We measure depth"),
        ("What did we measure in September?", "We measure depth"),
        ("What did we measure before the move to Bergen?", "We measure depth"),
        ("What did we measure after the move to Bergen?", "We measure salt"),
        ("move to Bergen 之后我们 measure 了什么？", "We measure salt"),
    ],
)
def test_days_that_are_named_are_those_of_memories(query: str, expected: str) -> None:
    memories = (told("We measure salt", 8), told("We measure depth", 65), told("The move to Bergen is done", 30))
    found = [one.memory.text for one in found_by_words(query, memories, NOW)]
    assert next(text for text in found if text.startswith("We measure")) == expected


def test_what_was_said_beside_a_sure_memory_of_the_same_chat_is_found_too() -> None:
    asked, answer = told("Have you a name for the new glider", 9, "t"), told("Petrel, as the bird", 8, "t")
    found = [one.memory for one in found_by_words("name of the new glider", (told("Ice", 7), asked, answer), NOW)]
    assert found[:2] == [asked, answer]


def test_a_search_lists_first_what_has_its_words_and_nothing_that_is_only_beside_it() -> None:
    bought, allergic = told("My coffee machine was bought in May", thread="t"), told("I am allergic", thread="t")
    device = told("The espresso maker is Italian", days_ago=9)
    memories = [allergic, bought, device]
    found = found_among("machine", memories, [0.0, 0.2, 0.95], weight_of_sentences, NOW)
    assert allergic in relevant(found), "an answer may need it"
    assert listed("machine", found)[0] is bought
    assert allergic not in listed("machine", found)
    assert listed("machi", found_by_words("machi", memories, NOW)) == [bought]


def test_a_search_that_nothing_is_near_lists_nothing() -> None:
    memories = [told("Name: Rags"), told("I am allergic to almonds"), told("Favourite colour: teal")]
    found = found_among("machine", memories, [0.12, 0.11, 0.09], weight_of_sentences, NOW)
    assert listed("machine", found) == []


def test_importance_decides_between_equals() -> None:
    same = told("The buoy is red")
    low, high = replace(same, id="low", importance=3), replace(same, id="high", importance=9)
    assert [one.memory.id for one in found_by_words("buoy", (low, high), NOW)] == ["high", "low"]


@pytest.mark.parametrize(
    ("words", "first_day", "last_day"),
    [
        ("yesterday", (2026, 11, 24), (2026, 11, 24)),
        ("前天说了什么", (2026, 11, 23), (2026, 11, 23)),
        ("this week", (2026, 11, 23), (2026, 11, 29)),
        ("上个月", (2026, 10, 1), (2026, 10, 31)),
        ("去年", (2025, 1, 1), (2025, 12, 31)),
        ("three weeks ago", (2026, 11, 2), (2026, 11, 8)),
        ("两年前", (2024, 1, 1), (2024, 12, 31)),
        ("on 7 May 2023", (2023, 5, 7), (2023, 5, 7)),
        ("on May 7, 2023", (2023, 5, 7), (2023, 5, 7)),
        ("in December", (2025, 12, 1), (2025, 12, 31)),
        ("2023年5月", (2023, 5, 1), (2023, 5, 31)),
        ("5月8日", (2026, 5, 8), (2026, 5, 8)),
        ("on 2024-02-29", (2024, 2, 29), (2024, 2, 29)),
        ("in 2022", (2022, 1, 1), (2022, 12, 31)),
    ],
)
def test_periods(words: str, first_day: tuple[int, int, int], last_day: tuple[int, int, int]) -> None:
    assert period_in(words, NOW) == Period(datetime(*first_day).date(), datetime(*last_day).date())


@pytest.mark.parametrize("words", ["may I go", "You may ask", "31 April 2020", "version 2022.1", "9999 years ago", ""])
def test_no_period(words: str) -> None:
    assert period_in(words, NOW) is None


def test_a_number_too_long_to_count_names_no_days() -> None:
    assert period_in(f"{'9' * 5_000} days ago", NOW) is None
