"""A sentence is quoted whole where semicolons join its parts, of which one may be the rule for the opposite case."""

import pytest

from core.rulebook.evidence import EvidenceAssessment
from core.search.model import Passage
from tests.fakes.samples import chunk_of

RULE = "學生請假不超過三天者，由班主任批准；"
OTHER = "超過三天者，由校長批准。"


@pytest.mark.parametrize("between", ["", "\n"])
def test_what_a_semicolon_joins_is_quoted_together(between: str) -> None:
    text = f"學生每天七點到校。{RULE}{between}{OTHER}"
    passages = (Passage(chunk_of("d", 0, text), "rules.md", 0.9),)
    for question in ("學生請假超過三天由誰批准？", "學生請假不超過三天由誰批准？"):
        assert RULE + OTHER in [quote.text for quote in EvidenceAssessment(question, passages, None).quotes]


def test_items_of_a_list_are_not() -> None:
    text = "- 學生請假由班主任批准；\n- 教師請假由校長批准；\n- 職員請假由主任批准。"
    passages = (Passage(chunk_of("d", 0, text), "rules.md", 0.9),)
    told = [quote.text for quote in EvidenceAssessment("學生請假由誰批准？", passages, None).quotes]
    assert not any("教師" in text and "學生" in text for text in told)
