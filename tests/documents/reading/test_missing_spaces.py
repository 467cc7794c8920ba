"""Words glued or mixed in the cells of tables."""

import pytest

from core.documents.reading.word_repair import restored_words

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
    assert restored_words(PAGE)(given) == mended


def test_a_word_without_end_is_left_alone_at_once() -> None:
    word = "of14" * 100_000
    assert restored_words(PAGE)(word) == word


@pytest.mark.parametrize(
    ("given", "mended"),
    [
        ("<td>ASTHMA H PIGRHES BSLUOROED</td>", "<td>ASTHMA HIGH BLOOD PRESSURE</td>"),
        (
            "<th>BAa Dcteh <sup>L</sup>ge<sub>e</sub>rlaeosert's</th><td>R&amp;D</td>",
            "<th>At Least Bachelor's Degree</th><td>R&amp;D</td>",
        ),
        ("ASTHMA | H PIGRHES BSLUOROED | 3", "ASTHMA | HIGH BLOOD PRESSURE | 3"),
        ("<td>PRESSURE HIGH</td>", "<td>PRESSURE HIGH</td>"),
        ("<td>BLOODPRESSURE</td>", "<td>BLOOD PRESSURE</td>"),
        ("<td>HGIH BLOODS</td>", "<td>HGIH BLOODS</td>"),
    ],
)
def test_letters_of_lines_that_are_mixed_are_put_in_the_order_of_the_page(given: str, mended: str) -> None:
    page = "ASTHMA\r\nHIGH BLOOD\r\nPRESSURE\r\nAt Least\r\nBachelor\u2019s\r\nDegree\r\nR&D"
    assert restored_words(page)(given) == mended
