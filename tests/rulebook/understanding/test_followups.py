"""Follow-ups: what they lean on, and when no model is needed to tell."""

import pytest

from core.rulebook.messages import KnownNames, resolve, resolves_clearly
from core.runs.model import Turn


def told(*asked: str) -> list[Turn]:
    return [turn for question in asked for turn in (Turn("user", question), Turn("assistant", "…"))]


@pytest.mark.parametrize(
    ("before", "known", "question", "standing"),
    [
        (
            "Tell me about The Little Shop of Horrors.",
            ("Little Shop",),
            "What is the publication date of it?",
            "What is the publication date of The Little Shop of Horrors?",
        ),
        (
            "Tell me about People Not as Bad as They Seem.",
            (),
            "Who directed it?",
            "Who directed People Not as Bad as They Seem?",
        ),
        ("介绍一下塔乌鲁火山。", ("塔乌鲁",), "它坐落于什么地方？", "塔乌鲁火山坐落于什么地方？"),
        ("Describe the neural network KelpNet", ("KelpNet",), "Who developed it?", "Who developed KelpNet?"),
        ("介绍一下校准层的作用。", ("校准层",), "它用在哪里？", "校准层用在哪里？"),
        ("KelpNet是什么？", ("KelpNet",), "它的相邻实体呢？", "KelpNet的相邻实体？"),
        ("什么是KelpNet？", (), "它的作者是谁？", "KelpNet的作者是谁？"),
    ],
)
def test_a_title_is_taken_whole_and_a_description_by_its_known_name(
    before: str, known: tuple[str, ...], question: str, standing: str
) -> None:
    names = KnownNames(known)
    assert resolve(question, told(before), names) == standing
    assert resolves_clearly(question, told(before), names)


@pytest.mark.parametrize(
    ("history", "known", "question"),
    [
        (("How do KelpNet and Karenia differ?",), ("KelpNet", "Karenia"), "Who developed it?"),
        (("Who developed KelpNet?", "And when was it?"), ("KelpNet",), "Where does she live?"),
        (("Who developed KelpNet?",), ("KelpNet",), "And the second one?"),
        (("Who developed KelpNet?",), ("KelpNet",), "Tell me more"),
        ((), ("KelpNet",), "Who developed it?"),
    ],
)
def test_two_things_a_chain_of_follow_ups_or_no_pronoun_are_not_clear(
    history: tuple[str, ...], known: tuple[str, ...], question: str
) -> None:
    assert not resolves_clearly(question, told(*history), KnownNames(known))
