"""The reader sees a model's answer and neither what it copied before nor that it refused, however the text is cut."""

import pytest

from core.rulebook.checking.refusals import ReplyParts, answer_of

TEXTS = [
    ("The sea is deep.", "The sea is deep.", "", None),
    ("QUOTE: It is 62 m deep.\nANSWER: 62 m.", "62 m.", "It is 62 m deep.", None),
    ("**QUOTE:** “It is deep.”\n\n**ANSWER:** It is.\nVery.", "It is.\nVery.", "It is deep.", None),
    ("Quote: It is deep. ANSWER: Yes, it is.", "Yes, it is.", "It is deep.", None),
    ("QUOTE: It is deep.\nYes, it is.", "Yes, it is.", "It is deep.", None),
    ("QUOTE: It is deep.\n> So it is.\nANSWER: Yes.", "Yes.", "It is deep.\n> So it is.", None),
    ("QUOTE: It is deep.", "", "It is deep.", None),
    ("QUOTE: It is deep.\nANSWER: NOT ANSWERED", "", "It is deep.", ""),
    ("NOT ANSWERED: no depth is named.", "", "", "no depth is named."),
    ("**Not answered.** No depth.", "", "", "No depth."),
    ("ANSWER: 62 m.", "62 m.", "", None),
    ("Answers are rare.", "Answers are rare.", "", None),
    ("Not answered questions remain.", "", "", "questions remain."),
    ("引用：\nQUOTE", "引用：\nQUOTE", "", None),
    ("", "", "", None),
]


@pytest.mark.parametrize(("text", "answer", "copied", "refusal"), TEXTS)
@pytest.mark.parametrize("cut", [1, 3, 1_000])
def test_parts_are_told_apart(text: str, answer: str, copied: str, refusal: str | None, cut: int) -> None:
    reply = ReplyParts()
    pieces = (text[at : at + cut] for at in range(0, len(text), cut))
    assert "".join(answer_of(pieces, reply)).strip() == answer
    assert reply.copied == copied
    assert (reply.reason if reply.refused else None) == refusal


def test_words_of_the_answer_come_as_they_are_written() -> None:
    pieces = iter(["QUOTE: It is", " deep.\nANSW", "ER:", " Yes", ", it", " is."])
    assert list(answer_of(pieces, ReplyParts())) == ["Yes", ", it", " is."]
