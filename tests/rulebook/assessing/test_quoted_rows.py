"""Rows of tables that an answer quotes: the row with its columns, and the cell that is told."""

import pytest

from core.documents.model import Chunk
from core.rulebook.assessing.citing import citations_of
from core.rulebook.assessing.quoted_rows import with_tables
from core.search.model import Citation, Passage, TableRow

TABLE = """Table 1. Buoys and their depth.

Buoy | Position | Water depth (m)
L1 | Open sea | 62
L4 | Ellery Basin | 88

L4 is the deepest of them."""
LINE = "Buoy: L4; Position: Ellery Basin; Water depth (m): 88"
COLUMNS, CELLS = ("Buoy", "Position", "Water depth (m)"), ("L4", "Ellery Basin", "88")


def cited(answer: str, text: str = TABLE) -> Citation:
    chunk = Chunk("c1", "d1", 0, text, (), ())
    (citation,) = citations_of(answer, [Passage(chunk, "handbook.pdf", 0.9)])
    return citation


def test_a_quoted_row_comes_with_its_columns_and_the_cell_that_is_told() -> None:
    assert cited(f"**88 m**: “{LINE}” [1]").row == TableRow(COLUMNS, CELLS, 2)


def test_where_nothing_or_several_cells_are_told_none_is_marked() -> None:
    assert cited(f"- “{LINE}” [1]").row == TableRow(COLUMNS, CELLS)
    both = cited("L4 lies in Ellery Basin, at 88 m: L4 Ellery Basin 88 [1].").row
    assert both is not None
    assert both.marked is None


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("“L4 is the deepest of them.” [1]", TABLE),
        ("“L4 | Ellery Basin | 88” [1]", "L4 | Ellery Basin | 88\nL1 | Open sea | 62"),
        ("The buoys have a depth, a position and names [1].", "Depth and position of buoys and their names."),
    ],
)
def test_a_sentence_and_a_table_without_names_of_columns_are_no_row(answer: str, text: str) -> None:
    assert cited(answer, text).row is None


def test_the_row_stands_below_the_value_as_a_small_table() -> None:
    answer = f"**88 m**: “{LINE}” [1]"
    assert with_tables(answer, [cited(answer)]) == (
        "**88 m** [1]\n\n"
        "| Buoy | Position | Water depth \\(m\\) |\n| --- | --- | --- |\n| L4 | Ellery Basin | **88** |\n"
    )


def test_a_row_whose_columns_have_no_names_is_a_table_without_a_header() -> None:
    text = "Utah | 10,429 | 4,314\nTexas | 21,550 | 56,941"
    answer = "Probably this: “Texas | 21,550 | 56,941” [1]"
    assert with_tables(answer, [cited(answer, text)]) == (
        "Probably this [1]\n\n|  |  |  |\n| --- | --- | --- |\n| Texas | 21\\,550 | 56\\,941 |\n"
    )
    said = "“Texas | 21,550” is what it says [1]."
    assert with_tables(said, [cited(answer, text)]) == said


def test_a_row_in_a_list_stays_in_its_item() -> None:
    answer = f"Closest:\n\n- “{LINE}” [1]\n- “L4 is the deepest of them.” [2]"
    laid_out = with_tables(answer, [cited(f"- “{LINE}” [1]")])
    assert "- [1]\n\n  | Buoy |" in laid_out
    assert laid_out.endswith("- “L4 is the deepest of them.” [2]")


def test_cells_read_exactly_as_given() -> None:
    text = "Name | Note\nA | ![x](http://evil.example/p.png)\nB | <b>1</b> *2* [1]"
    answer = "“Name: B; Note: <b>1</b> *2* (1)” [1]"
    laid_out = with_tables(answer, [cited(answer, text)])
    assert "\\<b\\>1\\<\\/b\\> \\*2\\* \\(1\\)" in laid_out


def test_an_answer_that_quotes_no_row_is_left_as_it_is() -> None:
    assert with_tables("The depth is 88 m [1].", [cited("The depth is 88 m [1].")]) == "The depth is 88 m [1]."


def test_quoted_steps_stand_below_one_another() -> None:
    answer = "- “It takes an hour. 1. Empty the tank. 2. Fill in 1.5 litres. 3. Wait.” [1]"
    assert with_tables(answer, []) == (
        "- “It takes an hour.  \n1\\. Empty the tank.  \n2\\. Fill in 1.5 litres.  \n3\\. Wait.” [1]"
    )
    for other in ("“It was founded in May. 3. Liga is below. 9. is a number.” [1]", "It is. 1. This. 2. That."):
        assert with_tables(other, []) == other


def test_of_several_rows_with_one_number_each_stands_in_its_line_without_quotation_marks() -> None:
    other = LINE.replace("L4", "L1").replace("Ellery Basin", "Open sea").replace("88", "62")
    answer = f"- “{LINE}” [1]\n- “{other}” [1]\n- “L4 is the deepest of them.” [1]"
    assert with_tables(answer, [cited(answer)]) == f"- {LINE} [1]\n- {other} [1]\n- “L4 is the deepest of them.” [1]"


def test_a_chinese_row_has_full_width_marks() -> None:
    text = "车位类型 | 收费标准\n产权车位 | 每月80元\n租赁车位 | 每月350元"
    answer = "- “车位类型: 产权车位; 收费标准: 每月80元” [1]\n- “车位类型: 租赁车位; 收费标准: 每月350元” [1]"
    laid_out = with_tables(answer, [cited(answer, text)])
    assert laid_out.splitlines()[0] == "- 车位类型：产权车位；收费标准：每月80元 [1]"
