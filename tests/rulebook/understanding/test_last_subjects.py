"""Follow-ups take up what was spoken of last; an announced topic takes up nothing."""

from collections.abc import Sequence
from typing import ClassVar

import pytest

from core.rulebook.messages import KnownNames, readings, resolve
from core.rulebook.understanding.followups import leans_on_history
from core.runs.model import Turn


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
    assert resolve(then, [Turn("user", first)], KnownNames()) == resolved


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
    assert resolve(then, history, KnownNames(people, people)) == resolved


@pytest.mark.parametrize(
    ("asked", "told", "then", "resolved"),
    [
        (
            "What is KelpNet?",
            "The neural network [1].",
            "Where does she work?",
            "Where does she work (What is KelpNet?)",
        ),
        ("KelpNet是什么？", "neural network [1]。", "她在哪里工作？", "她在哪里工作 (KelpNet是什么？)"),
        (
            "Who maintains FooBar?",
            "A woman [1].",
            "Where does she work?",
            "Where does she work (Who maintains FooBar?)",
        ),
        ("站长是谁？", "一位女士。", "她住在哪里？", "站长住在哪里？"),
        ("Who is Carl Zeiss?", "A man [1].", "Where does he work?", "Where does Carl Zeiss work?"),
        ("Who is Ada Byron?", "Ada Byron, as Lena Vogt says.", "Where does she work?", "Where does Ada Byron work?"),
        ("What does Ada Byron run?", "Ada Byron and Lena Vogt.", "Where does she work?", "Where does Ada Byron work?"),
        ("Who wrote to Ada Byron?", "Ada Byron: from Lena Vogt.", "Where is she?", "Where is Lena Vogt?"),
    ],
)
def test_she_is_a_person_and_no_thing(asked: str, told: str, then: str, resolved: str) -> None:
    people = tuple(name for name in ("Ada Byron", "Lena Vogt") if name in asked + told)
    names = KnownNames(("KelpNet", "neural network", *people), people)
    history = [Turn("user", asked), Turn("assistant", told)]
    assert readings(then, history, names) == ()
    assert resolve(then, history, names) == resolved


@pytest.mark.parametrize(
    ("then", "resolved"), [("换个话题，站长是谁？", "站长是谁？"), ("Another topic: who is it?", "who is it?")]
)
def test_an_announced_topic_leans_on_nothing(then: str, resolved: str) -> None:
    assert not leans_on_history(then)
    assert resolve(then, [Turn("user", "What is KelpNet?")], KnownNames()) == resolved


PEOPLE = ("Lena Vogt", "Ingrid Solheim", "Ada Byron")
THINGS = ("KelpNet", "TideGraph", "Lumen buoy")
NAMES = KnownNames((*PEOPLE, *THINGS), PEOPLE)


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


class Meanings:
    """An embedder of a few words; what it does not know is like nothing."""

    name, dimension, semantic = "meanings", 4, True
    KINDS: ClassVar = {
        **dict.fromkeys(("Canada", "United States"), 0),
        **dict.fromkeys(("red", "amber"), 1),
        **dict.fromkeys(("income", "operating income"), 2),
        **dict.fromkeys(("worldwide", "in total"), 3),
    }

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[float(self.KINDS.get(text) == place) for place in range(self.dimension)] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed([text])[0]


@pytest.mark.parametrize(
    ("first", "then", "resolved"),
    [
        (
            "How many shops does Costco have in the United States in 2021?",
            "And in Canada?",
            "How many shops does Costco have in Canada in 2021?",
        ),
        ("What happens on an amber alert?", "And on red?", "What happens on red alert?"),
        ("What was the net income of Costco?", "And the operating income?", "What was the operating income of Costco?"),
        ("How often is a buoy cleaned?", "And in winter?", "How often is a buoy cleaned in winter?"),
        ("What was the renewal rate in Canada?", "And worldwide?", "What was the renewal rate worldwide?"),
        ("How many in the U.S. and Canada in 2021?", "And in total?", "How many in total in 2021?"),
        ("What was the renewal rate in Canada?", "And online?", "online (What was the renewal rate in Canada?)"),
        ("浮标多久校准一次？", "台风过后呢？", "台风过后，浮标多久校准一次？"),
    ],
)
def test_a_fragment_takes_the_place_of_a_part_of_like_meaning_or_is_added(first: str, then: str, resolved: str) -> None:
    names = KnownNames(("renewal rate", "Costco"), encoder=Meanings())
    assert resolve(then, [Turn("user", first)], names) == resolved


@pytest.mark.parametrize(
    ("first", "told", "then", "resolved"),
    [
        ("Who pays for the ship time?", "The trust [1].", "Until when?", "Until when: Who pays for the ship time?"),
        ("红色预警由谁批准？", "站长 [1]。", "由谁复核？", "红色预警由谁复核？"),
        ("Which ship is used?", "The Petrel [1].", "When may it not sail?", "When may Petrel not sail?"),
        ("Who leads the Trust?", "A woman [1].", "Where does she work?", "Where does she work (Who leads the Trust?)"),
    ],
)
def test_what_names_nothing_takes_up_the_question_or_the_one_thing_of_its_answer(
    first: str, told: str, then: str, resolved: str
) -> None:
    names = KnownNames(("Petrel", "Trust", "红色预警"))
    assert resolve(then, [Turn("user", first), Turn("assistant", told)], names) == resolved


@pytest.mark.parametrize(
    "question",
    [
        "How often is a buoy calibrated and what happens if it misses its calibration?",
        "养护设施分为哪几种，它们分别设在哪里？",
        "谁批准红色预警？",
        "什么是量子引力？",
        "???",
    ],
)
def test_a_message_that_says_what_its_pronoun_means_leans_on_nothing(question: str) -> None:
    assert not leans_on_history(question)
