"""Words glued in the cells of tables."""

import pytest

from core.documents.reading.word_repair import restored_spaces

PAGE = "Buoy Position\r\nL1 Open sea, off Gannet\r\nPoint\r\nBlooms missed 5 of\n14\nshoreline 公路\n等级"


@pytest.mark.parametrize(
    ("given", "mended"),
    [
        ("L1 | Open sea, off GannetPoint", "L1 | Open sea, off Gannet Point"),
        ("<tr><td>5 of14</td></tr>", "<tr><td>5 of 14</td></tr>"),
        ("公路等级 | 2", "公路等级 | 2"),
        ("shoreline | off", "shoreline | off"),
        ("unknownword | Opensea", "unknownword | Opensea"),
        ('<td colspan="2">offGannet</td>', '<td colspan="2">off Gannet</td>'),
    ],
)
def test_words_that_the_page_has_apart_are_taken_apart(given: str, mended: str) -> None:
    assert restored_spaces(PAGE)(given) == mended


def test_a_word_without_end_is_left_alone_at_once() -> None:
    word = "of14" * 100_000
    assert restored_spaces(PAGE)(word) == word
