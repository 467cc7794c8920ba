"""Rows of a table that do not have what is asked for are not told as an answer."""

import pytest

from core.documents.model import Chunk
from core.rulebook.assessing.answering import ANSWER_THRESHOLD
from core.rulebook.assessing.asked_rows import asked_rows
from core.rulebook.assessing.evidence_assessment import EvidenceAssessment
from core.rulebook.assessing.quotable_spans import units_of
from core.rulebook.assessing.sentence_ranking import quote_of
from core.search.model import Passage

_TREES = """Trees of the arboretum

Tree | Planted by | Evergreen | Section | Tag
Sequoia | Lord Carrow | yes | North lawn | 7
Beech | Lord Carrow | no | South lawn | none
Holm oak | Ellen Marsh | yes | South lawn | 9
Ginkgo | Ellen Marsh | no | Pond, South lawn | 4"""
_ROOMS = """房型一覽

房型 | 含早餐 | 樓層
竹韻單人房 | 否 | 二樓
荷香雙人房 | 是 | 二樓
松濤家庭房 | 是 | 三樓"""


def passage_of(text: str) -> Passage:
    return Passage(Chunk("1", "document", 0, text, (), ()), "trees.md", 0.9, ("lexical",))


def names_told(question: str, text: str) -> list[str]:
    """Names of the rows that are left of all."""
    passages = [passage_of(text)]
    units = units_of(passages)
    quotes = [quote_of(unit, 1.0) for unit in units if ": " in unit.text]
    return [quote.text.split("; ")[0].split(": ")[1] for quote in asked_rows(question, quotes, units, passages)]


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("Which trees are evergreen?", _TREES, ["Sequoia", "Holm oak"]),
        ("Which trees are not evergreen?", _TREES, ["Beech", "Ginkgo"]),
        ("Which trees did Ellen Marsh plant?", _TREES, ["Holm oak", "Ginkgo"]),
        ("Which trees stand on the south lawn?", _TREES, ["Beech", "Holm oak", "Ginkgo"]),
        ("Which evergreen trees did Lord Carrow plant?", _TREES, ["Sequoia"]),
        ("Which trees on the north lawn did Ellen Marsh plant?", _TREES, []),
        ("Which trees have a tag?", _TREES, ["Sequoia", "Holm oak", "Ginkgo"]),
        ("What is the tag of the beech?", _TREES, ["Beech"]),
        ("哪些房型含早餐？", _ROOMS, ["荷香雙人房", "松濤家庭房"]),
        ("哪些房型在二樓？", _ROOMS, ["竹韻單人房", "荷香雙人房"]),
        ("Is the beech evergreen?", _TREES, ["Sequoia", "Beech", "Holm oak", "Ginkgo"]),
        ("Which trees are 7 m high?", _TREES, ["Sequoia", "Beech", "Holm oak", "Ginkgo"]),
    ],
)
def test_rows_are_left_out_where_the_question_names_something_else(question: str, text: str, told: list[str]) -> None:
    assert names_told(question, text) == told


def test_a_list_has_only_rows_that_say_yes() -> None:
    view = EvidenceAssessment("Which trees are evergreen?", (passage_of(_TREES),), None)
    assert view.quotes
    assert all("Evergreen: yes" in quote.text for quote in view.quotes)


def test_rows_of_something_else_alone_are_no_answer() -> None:
    view = EvidenceAssessment("Which trees on the north lawn did Ellen Marsh plant?", (passage_of(_TREES),), None)
    assert view.probability < ANSWER_THRESHOLD
    assert "run.declined.other_rows" in {reason.key for reason in view.assessment.reasons}
