"""Markers in answers are renumbered while an answer streams."""

import pytest

from core.platform.language.answer_marks import Numbering, renumbered


@pytest.mark.parametrize(
    ("pieces", "shown"),
    [
        (["A [2]. B [1]. C [2]."], "A [1]. B [2]. C [1]."),
        (["A [", "2", "]", " B"], "A [1] B"),
        (["A [1, 2] and [1-2]"], "A [1][2] and [1][2]"),
        (["A 【1】。"], "A [1]。"),
        (["A [9] B"], "A B"),
        (["A [0] [1]"], "A [1]"),
        (["list[i] and [a]"], "list[i] and [a]"),
        (["open ["], "open ["),
        (["[1"], "[1"),
        ([""], ""),
    ],
)
def test_markers_are_renumbered_by_first_appearance(pieces: list[str], shown: str) -> None:
    assert "".join(renumbered(iter(pieces), Numbering(2))) == shown


def test_the_same_text_comes_out_however_it_is_cut() -> None:
    text = "One [2]. Two [1, 2] and 【9】 three [1-2]. End ["
    whole = "".join(renumbered(iter([text]), Numbering(2)))
    assert "".join(renumbered(iter(text), Numbering(2))) == whole
