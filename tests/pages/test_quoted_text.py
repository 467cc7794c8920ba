"""Passages as HTML: tables as tables, the words that matter marked."""

from core.documents.model import Block
from pages.components.documents.page import blocks_html
from pages.components.documents.quote import passage_html

SHEET = "Buoys in service\nname | depth | since\nLumen 1 | 12 m | 2019\nLumen 2 | 40 m | 2021\nThe third was lost."


def test_lines_of_cells_are_a_table_under_the_names_of_its_columns() -> None:
    drawn = passage_html(SHEET)
    assert drawn.startswith("<p>Buoys in service</p><table")
    assert "<thead><tr><th>name</th><th>depth</th><th>since</th></tr></thead>" in drawn
    assert "<tr><td>Lumen 2</td><td>40 m</td><td>2021</td></tr></tbody></table>" in drawn
    assert drawn.endswith("<p>The third was lost.</p>")
    assert " | " not in drawn


def test_rows_that_name_their_columns_have_no_head() -> None:
    drawn = passage_html("name: Lumen 1 | depth: 12 m\nname: Lumen 2 | depth: 40 m")
    assert "<thead>" not in drawn
    assert drawn.count("<tr>") == 2


def test_a_row_of_figures_is_no_header() -> None:
    """The part of a long table that a passage holds may begin with any row."""
    drawn = passage_html("Rhode Island | 954 | 932\nTexas | 56,941 | 51,670")
    assert "<th>" not in drawn
    assert "<tr><td>Rhode Island</td><td>954</td>" in drawn
    assert "<th>2021</th>" in passage_html(" | 2021 | 2020\nNet sales | 192,052 | 163,220")


def test_a_row_whose_first_or_last_cell_is_empty_is_a_row_of_the_table() -> None:
    drawn = passage_html("name | depth | note\nLumen 1 | 12 m | new\nLumen 2 | 40 m |\n| 9 m | old")
    assert drawn.count("<table") == 1
    assert "<tr><td></td><td>9 m</td><td>old</td></tr>" in drawn
    assert "<tr><td>Lumen 2</td><td>40 m</td><td></td></tr>" in drawn
    marked = passage_html("name | depth | note\nLumen 2 | 40 m |", ["Lumen 2 | 40 m"])
    assert "<td><mark>Lumen 2</mark></td><td><mark>40 m</mark></td>" in marked


def test_one_line_with_bars_is_not_a_table() -> None:
    assert passage_html("Home | About | Contact\nWelcome.") == "<p>Home | About | Contact</p><p>Welcome.</p>"


def test_the_quoted_row_is_marked_and_equal_cells_of_other_rows_are_not() -> None:
    drawn = passage_html(SHEET, ["Lumen 1 | 12 m | 2019"])
    assert "<td><mark>Lumen 1</mark></td><td><mark>12 m</mark></td><td><mark>2019</mark></td>" in drawn
    assert drawn.count("<mark>") == 3


def test_cells_are_escaped_with_or_without_marks() -> None:
    hostile = "a | <img src=x onerror=alert(1)>\nb | <script>1</script>"
    assert "<img" not in passage_html(hostile)
    assert "<script" not in passage_html(hostile, ["script", "b"])


def test_a_block_of_a_table_is_drawn_as_one() -> None:
    drawn = blocks_html([Block(0, 0, "table", "name | depth\nLumen 1 | 12 m")])
    assert "<th>name</th>" in drawn
    assert "<td>12 m</td>" in drawn
    assert "<p>—</p>" in blocks_html([Block(0, 0, "image", "")])
