"""Sentences that a parser cut at the right margin are whole again; headings, short lines and lists stay apart."""

import pytest

from core.documents.model import Box, Chunk, Span
from core.rulebook.assessing.quotable_spans import units_of
from core.search.model import Passage

FULL, INDENTED = (95, 100, 905, 114), (129, 100, 905, 114)
"""A line as wide as the column, and the first of a paragraph."""


def chunk_of_blocks(*blocks: tuple[str, Box]) -> Chunk:
    spans, at = [], 0
    for index, (text, box) in enumerate(blocks):
        spans.append(Span(at, at + len(text), index, 0, box))
        at += len(text) + 2
    return Chunk("1", "d", 0, "\n\n".join(text for text, _ in blocks), (), tuple(spans))


def sentences_of(*blocks: tuple[str, Box]) -> list[str]:
    chunk = chunk_of_blocks(*blocks)
    return [unit.text for unit in units_of([Passage(chunk, "book.pdf", 0.9)])]


CUT = "潮汐站的水位计与浮标都采用同一种办法校准，它们都应用"
REST = "了第七节的三点校准法。校准之后才能恢复观测，这一点不能省略。"


def test_a_sentence_cut_at_the_margin_is_one_sentence() -> None:
    below = (94, 118, 905, 132)
    assert sentences_of((CUT, INDENTED), (REST, below))[0] == f"{CUT}了第七节的三点校准法。"


def test_the_place_of_a_joined_sentence_is_that_of_both_blocks() -> None:
    chunk = chunk_of_blocks((CUT, FULL), (REST, (95, 118, 905, 132)))
    first = units_of([Passage(chunk, "book.pdf", 0.9)])[0]
    assert (first.start, chunk.text[first.start : first.end].endswith("校准法。")) == (0, True)
    assert len(chunk.boxes(first.start, first.end)) == 2


@pytest.mark.parametrize(
    ("cut", "box", "below"),
    [
        (CUT, (95, 100, 500, 114), (95, 118, 905, 132)),
        (CUT, FULL, (95, 160, 905, 174)),
        (CUT, FULL, (129, 118, 905, 132)),
        (f"{CUT}。", FULL, (95, 118, 905, 132)),
        ("The buoys are calibrated every ninety days, as told in the Annex", FULL, (95, 118, 905, 132)),
    ],
    ids=["a short line", "space between", "a new paragraph", "an ended sentence", "no Chinese at the cut"],
)
def test_what_does_not_go_on_stays_apart(cut: str, box: Box, below: Box) -> None:
    rest = REST if "buoys" not in cut else "Yes, every buoy is checked by two people before it is set out again."
    assert sentences_of((cut, box), (rest, below))[0] == cut
