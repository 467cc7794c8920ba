"""The reader sees a model's answer and not that it refused, however the text is cut."""

import pytest

from core.agents.nodes.answer.generate import Refusal, answer_of

TEXTS = [
    ("The sea is deep.", "The sea is deep.", None),
    ("NOT ANSWERED", "", ""),
    ("NOT ANSWERED: no depth is named.", "", "no depth is named."),
    ("**Not answered.** No depth.", "", "No depth."),
    ("Not answered questions remain.", "", "questions remain."),
    ("Nothing is told.", "Nothing is told.", None),
    ("引用：\nNOT", "引用：\nNOT", None),
    ("", "", None),
]


@pytest.mark.parametrize(("text", "answer", "reason"), TEXTS)
@pytest.mark.parametrize("cut", [1, 3, 1_000])
def test_a_refusal_is_told_from_an_answer(text: str, answer: str, reason: str | None, cut: int) -> None:
    refusal = Refusal()
    pieces = (text[at : at + cut] for at in range(0, len(text), cut))
    assert "".join(answer_of(pieces, refusal)).strip() == answer
    assert (refusal.reason if refusal.made else None) == reason


def test_words_of_the_answer_come_as_they_are_written() -> None:
    assert list(answer_of(iter(["Yes", ", it", " is."]), Refusal())) == ["Yes", ", it", " is."]
