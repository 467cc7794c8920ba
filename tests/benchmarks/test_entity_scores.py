"""Scores of an extractor on labelled sentences."""

from collections.abc import Sequence

import pytest

from core.app.bench.entities import score
from core.graph.model import ExtractedName
from core.platform.errors import InputError


class Fixed:
    """Finds the same spans in every text."""

    def __init__(self, *spans: tuple[int, int, str]) -> None:
        self.spans = spans

    def extract(self, texts: Sequence[str]) -> list[list[ExtractedName]]:
        return [
            [ExtractedName(start, end, text[start:end], kind, 1.0) for start, end, kind in self.spans] for text in texts
        ]


SENTENCE = {
    "text": "Ada met Bob in Rome .",
    "entities": [
        {"text": "Ada", "type": "scientist", "start": 0, "end": 3},
        {"text": "Bob", "type": "PER", "start": 8, "end": 11},
        {"text": "Rome", "type": "country", "start": 15, "end": 19},
    ],
}


def test_exact_spans_are_counted_with_and_without_type() -> None:
    rows = score([SENTENCE], Fixed((0, 3, "PERSON"), (8, 11, "LOCATION"), (12, 14, "PERSON")))
    lines = {name: (round(p, 2), round(r, 2), n) for name, p, r, _, n in rows}
    assert lines["PERSON"] == (0.5, 0.5, 2)
    assert lines["LOCATION"] == (0.0, 0.0, 1)
    assert lines["all, typed"] == (0.33, 0.33, 3)
    assert lines["all, untyped"] == (0.67, 0.67, 3)


def test_types_that_the_labels_do_not_cover_count_neither_way() -> None:
    rows = score([SENTENCE], Fixed((0, 3, "PERSON"), (4, 7, "CONCEPT")))
    assert {row[0]: row[1] for row in rows}["all, untyped"] == 1.0


def test_tokens_with_tags_are_understood() -> None:
    row = {"tokens": ["Ada", "King", "met", "Bob"], "tags": ["B-PER", "I-PER", "O", "B-PER"]}
    assert score([row], Fixed((0, 8, "PERSON"), (13, 16, "PERSON")))[-1][1:4] == (1.0, 1.0, 1.0)
    chinese = {"tokens": ["周", "启", "明", "来"], "tags": ["B-PER", "I-PER", "I-PER", "O"]}
    assert score([chinese], Fixed((0, 3, "PERSON")))[-1][1:4] == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    "row",
    [
        {"text": "Ada"},
        {"text": 3, "entities": []},
        {"text": "Ada", "entities": ["Ada"]},
        {"text": "Ada", "entities": [{"start": 0, "end": 9, "type": "PER"}]},
        {"tokens": ["Ada"], "tags": ["O", "O"]},
        {"tokens": [1], "tags": ["O"]},
    ],
)
def test_rows_without_labels_are_refused_with_their_line(row: dict[str, object]) -> None:
    with pytest.raises(InputError) as caught:
        score([SENTENCE, row], Fixed())
    assert caught.value.params["line"] == "2"


def test_a_file_without_any_label_is_refused() -> None:
    with pytest.raises(InputError, match="no labelled entities"):
        score([{"text": "Ada", "entities": []}], Fixed())
