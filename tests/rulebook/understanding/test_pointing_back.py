"""Follow-ups that point back: at what was asked for, at two things, at a place, at the reason of an answer."""

from collections.abc import Sequence

import pytest

from core.rulebook.messages import KnownNames, readings, resolve
from core.rulebook.understanding.questions import asks_why_so
from core.runs.model import Turn

GRAPH = KnownNames(
    ("Marlow Sound Observatory", "Qingyu Marine Station", "Nordholm Foundation", "马洛海峡观测站", "周启明")
)


def asked_after(first: str, told: str, then: str) -> str:
    return resolve(then, [Turn("user", first), Turn("assistant", told)], GRAPH)


@pytest.mark.parametrize(
    ("first", "told", "then", "resolved"),
    [
        (
            "Which vessel is used?",
            "From your documents: “The vessel Petrel takes six people.” [1]",
            "How long is it?",
            "How long is Petrel?",
        ),
        (
            "Which foundation pays for the ship time?",
            "**2026**: “The Nordholm Foundation pays until 2026.” [1]",
            "Who leads it?",
            "Who leads Nordholm Foundation?",
        ),
        ("出海采样使用哪艘船？", "“出海采样使用“海燕号”科考船。” [1]", "它有多长？", "海燕号有多长？"),
        ("与哪个观测站合作？", "“本站与马洛海峡观测站合作。” [1]", "它由谁领导？", "马洛海峡观测站由谁领导？"),
    ],
)
def test_a_pronoun_takes_up_the_thing_of_the_kind_that_was_asked_for(
    first: str, told: str, then: str, resolved: str
) -> None:
    assert asked_after(first, told, then) == resolved


def test_a_name_of_two_entities_has_one_reading() -> None:
    twice = KnownNames(("Zhipu AI", "Zhipu AI"))
    assert readings("Where is it?", [Turn("user", "When was Zhipu AI founded?")], twice) == ()


def test_what_was_asked_for_and_what_it_was_asked_of_are_two_readings() -> None:
    first, told = "Which foundation supports the Qingyu Marine Station?", "“The Nordholm Foundation does.” [1]"
    history = [Turn("user", first), Turn("assistant", told)]
    found = ("Where is Nordholm Foundation?", "Where is Qingyu Marine Station?")
    assert readings("Where is it?", history, GRAPH) == found


@pytest.mark.parametrize(
    ("first", "then", "resolved"),
    [
        (
            "How often do the Marlow Sound Observatory and the Qingyu Marine Station calibrate?",
            "Do both keep their interval?",
            "Do Marlow Sound Observatory and the Qingyu Marine Station keep their interval?",
        ),
        (
            "How do KelpNet and TideGraph differ?",
            "When were they released?",
            "When were KelpNet and TideGraph released?",
        ),
        ("Q1和Q2浮标的水深分别是多少？", "两者的启用年份呢？", "Q1和Q2浮标的启用年份？"),
        ("东湾泵站和双桥泵站由谁管理？", "两座泵站建成于哪一年？", "东湾泵站和双桥泵站建成于哪一年？"),
        ("东湾泵站和双桥泵站由谁管理？", "两个原因是什么？", "两个原因是什么？"),
        ("东湾泵站和双桥泵站由谁管理？", "由双方校准吗？", "由东湾泵站和双桥泵站校准？"),
        ("东湾泵站和双桥泵站由谁管理？", "合同双方是谁？", "合同双方是谁？"),
        ("Who leads the Marlow Sound Observatory?", "Are both fees refundable?", "Are both fees refundable?"),
        ("Who leads the Marlow Sound Observatory?", "Are both refundable?", "Are both refundable?"),
        ("Who is it?", "Do both KelpNet and TideGraph run?", "Do both KelpNet and TideGraph run?"),
    ],
)
def test_both_takes_up_the_two_things_of_the_question_before(first: str, then: str, resolved: str) -> None:
    assert asked_after(first, "…", then) == resolved


@pytest.mark.parametrize(
    ("first", "told", "then", "resolved"),
    [
        (
            "Where do the buoys send their readings?",
            "“Each sends them by radio to the shore hut at Gannet Point. The link is slow.” [1]",
            "What runs there?",
            "What runs at the shore hut at Gannet Point?",
        ),
        ("How many shops are in Canada?", "“12 in Canada.” [1]", "Who works there?", "Who works in Canada?"),
        (
            "Which foundation pays?",
            "“The Nordholm Foundation pays.” [1]",
            "And who works there now?",
            "who works at Nordholm Foundation now?",
        ),
        ("How often is a buoy cleaned?", "“Weekly.” [1]", "Who works there?", "Who works there?"),
        ("How many shops are in Canada?", "“12.” [1]", "How many buoys are there?", "How many buoys are there?"),
    ],
)
def test_there_takes_up_the_place_that_was_spoken_of(first: str, told: str, then: str, resolved: str) -> None:
    assert asked_after(first, told, then) == resolved


def test_two_names_that_stand_together_give_their_place_to_one() -> None:
    names = KnownNames(encoder=Alike("Mexico", "Canada"))
    first = "What was the renewal rate in the U.S. and Canada in 2021?"
    assert resolve("And in Mexico?", [Turn("user", first)], names) == "What was the renewal rate in Mexico in 2021?"


def test_a_number_gives_its_place_to_a_number_alone() -> None:
    names = KnownNames(encoder=Alike("total", "2021"))
    first = "How many were there in 2021?"
    assert resolve("And in total?", [Turn("user", first)], names) == "How many were there in 2021 in total?"


@pytest.mark.parametrize("then", ["And why?", "Why is that?", "Why so?", "为什么呢？", "这是为什么？"])
def test_no_more_than_why_asks_for_the_reason_of_the_answer(then: str) -> None:
    resolved = asked_after("How often does buoy L5 report?", "“Every 5 minutes.” [1]", then)
    assert resolved.endswith(": How often does buoy L5 report?")
    assert asks_why_so(resolved)


@pytest.mark.parametrize(
    "then",
    [
        "How big was the write-off of IT assets?",
        "Who composed She Shall Have Music?",
        "How long does it take to get a reply?",
        "其他国家支付了多少？",
        "谁会弹吉他？",
        "英国从王室那里得到了什么？",
    ],
)
def test_what_looks_like_a_pronoun_takes_up_nothing(then: str) -> None:
    assert asked_after("Who leads the Marlow Sound Observatory?", "“In Canada.” [1]", then) == then


class Alike:
    """An embedder to which these are alike."""

    name, dimension, semantic = "alike", 2, True

    def __init__(self, *alike: str) -> None:
        self._alike = alike

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[float(text in self._alike), float(text not in self._alike)] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed([text])[0]
