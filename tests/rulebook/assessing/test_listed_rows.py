"""The rows of a table that a question asks for by a column of yes and no: all of them, and no other."""

import pytest

from core.documents.model import Chunk
from core.rulebook.assessing import rejections
from core.rulebook.assessing.answering import ANSWER_THRESHOLD
from core.rulebook.assessing.evidence_assessment import EvidenceAssessment
from core.rulebook.assessing.listed_rows import says_what_is_asked
from core.search.model import Passage

_LAMPS = """Lamps of the pier

lamp | place | mended | out_of_use
P1 | steps | yes | no
P2 | quay | no | no
P3 | gate | yes | yes"""


def view_of(question: str, text: str = _LAMPS) -> EvidenceAssessment:
    chunk = Chunk("1", "document", 0, text, (), ())
    return EvidenceAssessment(question, (Passage(chunk, "pier.csv", 0.9, ("lexical",)),), None)


@pytest.mark.parametrize(
    ("question", "lamps"),
    [
        ("Which lamps are mended?", ["P1", "P3"]),
        ("Which lamps are not mended?", ["P2"]),
        ("Which lamps are out of use?", ["P3"]),
        ("List the lamps that are mended.", ["P1", "P3"]),
    ],
)
def test_the_rows_that_are_asked_for_are_listed(question: str, lamps: list[str]) -> None:
    view = view_of(question)
    assert [quote.text.split("; ")[0] for quote in view.quotes] == [f"lamp: {lamp}" for lamp in lamps]
    assert view.probability >= ANSWER_THRESHOLD


@pytest.mark.parametrize(
    "question",
    [
        "Which lamps at the gate are not mended?",
        "Which lamps of the old harbour mole in Northmere are mended?",
        "Is the lamp mended?",
        "Which lamps are bright?",
    ],
)
def test_where_something_else_is_asked_for_nothing_is_listed(question: str) -> None:
    assert view_of(question).listed == ()


def test_a_column_with_another_word_in_it_lists_nothing() -> None:
    assert view_of("Which lamps are mended?", _LAMPS.replace("quay | no", "quay | in May")).listed == ()


def test_rows_that_say_the_opposite_are_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rejections, "probability", lambda features, encoder: 0.9)
    reasons = view_of("Which lamps at the gate are not mended?").assessment.reasons
    assert "run.declined.unsorted" in [reason.key for reason in reasons]


def test_a_row_says_what_is_asked_or_the_opposite_or_neither() -> None:
    columns, cells = ("商品", "有货"), ("螺栓", "否")
    assert says_what_is_asked("哪些商品没有货？", columns, cells) is True
    assert says_what_is_asked("哪些商品有货？", columns, cells) is False
    assert says_what_is_asked("螺栓有货吗？", columns, cells) is None
