"""What may become a conclusion: whole sentences, and what several documents say."""

import pytest

from core.memory.conclusions import borne_out, is_whole


@pytest.mark.parametrize(
    "words",
    [
        "The station was founded in 2016 by a trust.",
        "青屿海洋观测站成立于2016年，站长为林雨晴教授。",
        "“Each buoy is lifted, cleaned and calibrated every 90 days.”",
    ],
)
def test_whole_sentences_are_told(words: str) -> None:
    assert is_whole(words)


@pytest.mark.parametrize(
    "words",
    [
        "founded in 2016 by a trust.",
        "The station was founded in 2016 by",
        "Depth (m) | 88 | 120.",
        "Ada Byron, Grace Hopper, Alan Turing. University of Oslo, Oslo, Norway.",
        "3.2 Data Quality And Calibration Of Buoys.",
        "The station was founded …",
        "Is the station old?",
        "第二章 数据质量",
        "",
    ],
)
def test_half_sentences_rows_and_title_blocks_are_told(words: str) -> None:
    assert not is_whole(words)


def test_a_sentence_is_borne_out_by_another_that_says_the_same() -> None:
    said = ("The buoys are calibrated every 90 days.", "Every 90 days the crew calibrates the buoys.")
    assert borne_out(said) == said[0]
    assert borne_out((said[0], "The harbour closes at six.")) == ""
    assert borne_out(said[:1]) == ""


def test_a_sentence_that_shares_its_names_with_another_is_not_borne_out_by_it() -> None:
    works = "The coupling of KelpNet with TideGraph works for Marlow Sound."
    will = "Next we will couple KelpNet with the drift model TideGraph, so that the warning names the farm."
    assert borne_out([works, will]) == ""
