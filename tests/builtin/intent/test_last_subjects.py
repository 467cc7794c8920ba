"""Follow-ups take up what was spoken of last; an announced topic takes up nothing."""

import pytest

from core.builtin.intent.followups import Names, leans_on_history, readings, resolve
from core.domain.runs import Turn


@pytest.mark.parametrize(
    ("first", "then", "resolved"),
    [
        ("红色预警由谁批准？", "那橙色预警呢？", "橙色预警由谁批准？"),
        (
            "What is the throughput of crypto-md5?",
            "And of crypto-sha1?",
            "What is the throughput of crypto-sha1?",
        ),
        ("When was the first edition published?", "And the second edition?", "When was the second edition published?"),
        ("上海的人口是多少？", "北京呢？", "北京的人口是多少？"),
    ],
)
def test_a_counterpart_takes_the_place_of_what_it_is_like(first: str, then: str, resolved: str) -> None:
    assert resolve(then, [Turn("user", first)], Names()) == resolved


@pytest.mark.parametrize(
    ("then", "resolved"),
    [
        ("Where does she work?", "Where does Ingrid Solheim work?"),
        ("How is she connected to KelpNet?", "How is Ingrid Solheim connected to KelpNet?"),
    ],
)
def test_a_person_is_the_one_whom_the_conversation_named_last(then: str, resolved: str) -> None:
    history = [Turn("user", "Who came after Lena Vogt?"), Turn("assistant", "After Lena Vogt, Ingrid Solheim [1].")]
    people = ("Lena Vogt", "Ingrid Solheim")
    assert resolve(then, history, Names(people, people)) == resolved


@pytest.mark.parametrize(
    ("then", "resolved"), [("换个话题，站长是谁？", "站长是谁？"), ("Another topic: who is it?", "who is it?")]
)
def test_an_announced_topic_leans_on_nothing(then: str, resolved: str) -> None:
    assert not leans_on_history(then)
    assert resolve(then, [Turn("user", "What is KelpNet?")], Names()) == resolved


PEOPLE = ("Lena Vogt", "Ingrid Solheim", "Ada Byron")
THINGS = ("KelpNet", "TideGraph", "Lumen buoy")
NAMES = Names((*PEOPLE, *THINGS), PEOPLE)


@pytest.mark.parametrize(
    ("asked", "told", "then", "found"),
    [
        (
            "Who leads the trust?",
            "Lena Vogt and Ada Byron do [1].",
            "Where does she work?",
            ("Where does Lena Vogt work?", "Where does Ada Byron work?"),
        ),
        (
            "How do KelpNet and TideGraph differ?",
            "They differ [1].",
            "When was it released?",
            ("When was KelpNet released?", "When was TideGraph released?"),
        ),
        ("Who came after Lena Vogt?", "Ingrid Solheim [1].", "Where does she work?", ()),
        ("Who leads the trust?", "**Ada Byron**: “Ada Byron, after Lena Vogt.” [1]", "Where does she work?", ()),
        ("How do KelpNet and TideGraph differ?", "They differ [1].", "When were they released?", ()),
        ("What is KelpNet?", "Unlike TideGraph, a network [1].", "When was it released?", ()),
        ("How do KelpNet and TideGraph differ?", "They differ [1].", "Who is Ada Byron?", ()),
    ],
)
def test_two_readings_are_told_where_a_pronoun_may_mean_either(
    asked: str, told: str, then: str, found: tuple[str, ...]
) -> None:
    assert readings(then, [Turn("user", asked), Turn("assistant", told)], NAMES) == found
