"""Quoted answers made shorter or longer: markers stay with their words, and nothing is said twice."""

import pytest

from core.builtin.quoting.lengths import formed, shortened, with_surroundings
from core.domain.passages import Passage
from core.domain.runs import Length
from tests.fakes.samples import chunk_of

TWO = "They say:\n\n- “One.” [1]\n- “Two.” [2]"
PARTS = "### Who?\n\n“Ada.” [1]\n\n### When?\n\n“1911.” [2]"


@pytest.mark.parametrize(
    ("answer", "shorter"),
    [
        (TWO, "“One.” [1]"),
        ("**90 days**: “Every 90 days.” [1][2]\n\n- “More.” [3]", "**90 days**: “Every 90 days.” [1][2]"),
        ("Hello!", "Hello!"),
        (PARTS, PARTS),
        ("", ""),
    ],
)
def test_the_shorter_answer_is_its_first_cited_statement(answer: str, shorter: str) -> None:
    assert shortened(answer) == shorter


def test_more_detail_is_the_passage_around_each_quote() -> None:
    texts = ("It is a grass. One. It grows.", "Two.", "| a | b |")
    passages = tuple(Passage(chunk_of("d", at, told), "a.pdf", 1.0) for at, told in enumerate(texts))
    longer = with_surroundings(f"{TWO} [3][9]", passages, "en")
    assert longer == f"{TWO} [3][9]\n\nWhat stands around it:\n\n- “It is a grass. One. It grows.” [1]"


def test_a_text_without_passages_stays_as_it_is() -> None:
    assert formed("Hello!", Length.LONGER, object()) == "Hello!"
