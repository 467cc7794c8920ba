"""Spans of an edited text: page and box stay with what is unchanged."""

import pytest

from core.documents.lifecycle.edited_text import respan, stretches
from core.documents.model import Span

ONE, TWO, THREE = "The first block speaks of BERT.", "第二段讲注意力机制。", "A third one ends it."
TEXT = "\n\n".join((ONE, TWO, THREE))


def spans_of(*texts: str) -> tuple[Span, ...]:
    spans: list[Span] = []
    start = 0
    for block, text in enumerate(texts):
        spans.append(Span(start, start + len(text), block, block // 2, (10 * block, 20, 30, 40)))
        start += len(text) + 2
    return tuple(spans)


SPANS = spans_of(ONE, TWO, THREE)


def block_at(text: str, words: str) -> set[int]:
    start = text.index(words)
    return {span.block for span in respan(TEXT, SPANS, text) if span.start < start + len(words) and span.end > start}


@pytest.mark.parametrize(
    ("text", "words", "block"),
    [
        (TEXT.replace("BERT", "the BERT model"), "the BERT model", 0),
        (TEXT.replace("BERT", "the BERT model"), "注意力", 1),
        (TEXT.replace("注意力机制", "卷积"), "卷积", 1),
        (TEXT.replace("注意力机制", "卷积"), "third", 2),
        ("Before all. " + TEXT, "Before all", 0),
        (TEXT + " And after.", "And after", 2),
        (TEXT.replace(ONE + "\n\n", ""), "第二段", 1),
        (TEXT.replace("third", "3rd").replace("first", "1st"), "3rd", 2),
    ],
)
def test_every_stretch_maps_to_the_block_it_stands_in(text: str, words: str, block: int) -> None:
    assert block_at(text, words) == {block}


@pytest.mark.parametrize("text", [TEXT, "Something else altogether", TEXT[::-1], ONE, "x", TEXT * 3])
def test_spans_cover_the_new_text_in_order_without_overlap(text: str) -> None:
    spans = respan(TEXT, SPANS, text)
    assert [s.start for s in spans] == [0, *(s.end for s in spans[:-1])]
    assert spans[-1].end == len(text)


def test_a_text_without_spans_gets_none() -> None:
    assert respan(TEXT, (), "New") == ()
    assert respan(TEXT, SPANS, "") == ()


def test_words_that_stay_are_found_at_their_new_place() -> None:
    new = TEXT.replace("The first", "Here the very first")
    start = TEXT.index("BERT")
    moved = [place for step in stretches(TEXT, new) if (place := step.moved(start, start + 4))]
    assert [new[slice(*place)] for place in moved] == ["BERT"]
    assert not any(step.moved(0, len(ONE)) for step in stretches(TEXT, new))
