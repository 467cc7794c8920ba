"""Lines read in a picture, put in order: columns, rows of tables, ruled cells, turned pages."""

import pytest

from core.documents.reading.inspection import PageFacts
from core.documents.reading.layout import Recognised, RecognisedLine, RuledTable, likeness
from core.documents.reading.recognised_blocks import recognised_blocks, regions

WORDS = "words of a column that is set in prose"


def line(text: str, left: float, top: float, width: float = 0) -> RecognisedLine:
    return RecognisedLine(text, left, top, left + (width or 9 * len(text)), top + 20, 0.9)


def column(name: str, left: float, top: float, lines: int = 5) -> list[RecognisedLine]:
    return [line(f"{name}{number} {WORDS}", left, top + 26 * number, 400) for number in range(lines)]


def first_words(lines: list[RecognisedLine]) -> list[str]:
    return [found.text.split()[0] for region in regions(lines) for row in region for found in row]


def test_columns_are_read_one_after_another() -> None:
    title = line("A title over both columns of the page, as papers have it", 100, 20, 800)
    lines = [title, *column("right", 520, 80), *column("left", 60, 80)]
    wanted = ["A", *(f"left{n}" for n in range(5)), *(f"right{n}" for n in range(5))]
    assert first_words(lines) == wanted


def test_three_columns_are_read_from_left_to_right() -> None:
    lines = [*column("c", 900, 80), *column("b", 480, 80), *column("a", 60, 80)]
    assert first_words(lines) == [f"{name}{number}" for name in "abc" for number in range(5)]


def test_a_line_over_both_columns_parts_what_is_above_from_what_is_below() -> None:
    bar = line("A sentence that reaches over both of the columns and parts them", 60, 300, 860)
    lines = [*column("a", 60, 80), *column("b", 520, 80), bar, *column("c", 60, 400), *column("d", 520, 400)]
    found = "".join(word[0] for word in first_words(lines))
    assert found == "aaaaabbbbbAcccccddddd"


def test_cells_of_a_table_are_read_by_row() -> None:
    cells = [
        cell
        for row in range(4)
        for cell in (line(f"Item {row}", 60, 80 + 30 * row), line(f"{row},100", 500, 82 + 30 * row))
    ]
    (table,) = recognised_blocks(Recognised(1000, 1000, tuple(reversed(cells))), 0)
    assert (table.type, table.text) == ("table", "\n".join(f"Item {row} | {row},100" for row in range(4)))


def test_cells_drawn_with_lines_keep_their_spans() -> None:
    lines = (line("Class", 60, 45), line("one", 210, 20), line("two", 210, 70), line("three", 360, 20))
    cells = ((50, 10, 200, 110), (200, 10, 350, 60), (200, 60, 350, 110), (350, 10, 500, 60), (350, 60, 500, 110))
    table = RuledTable(50, 10, 500, 110, tuple(tuple(map(float, cell)) for cell in cells))  # type: ignore[misc]
    (block,) = recognised_blocks(Recognised(1000, 1000, lines, tables=(table,)), 3)
    assert block.text == "Class | one | three\nClass | two | "
    assert '<td rowspan="2">Class</td>' in block.html
    assert (block.page, block.box, block.confidence) == (3, (50, 10, 500, 110), 0.9)


def test_markup_in_a_picture_stays_text() -> None:
    lines = tuple(line(f"<b>{number}</b>", 60 + 150 * number, 20) for number in range(4))
    cells = tuple((50.0 + 150 * number, 10.0, 200.0 + 150 * number, 60.0) for number in range(4))
    (block,) = recognised_blocks(Recognised(1000, 1000, lines, tables=(RuledTable(50, 10, 650, 60, cells),)), 0)
    assert "<b>" not in block.html
    assert block.text == " | ".join(f"<b>{number}</b>" for number in range(4))


def test_words_parted_at_the_end_of_a_line_are_whole_and_a_short_line_ends_the_paragraph() -> None:
    lines = (
        line("The gauge is read every six min-", 60, 20, 400),
        line("utes by the harbour office and then", 60, 46, 400),
        line("it is checked.", 60, 72, 150),
        line("The second paragraph begins in the next line", 60, 98, 400),
    )
    blocks = recognised_blocks(Recognised(1000, 1000, lines), 0)
    assert [block.text for block in blocks] == [
        "The gauge is read every six minutes by the harbour office and then it is checked.",
        "The second paragraph begins in the next line",
    ]


@pytest.mark.parametrize(
    ("turned", "box"),
    [(0, (100, 50, 300, 100)), (1, (900, 100, 950, 300)), (2, (700, 900, 900, 950)), (3, (50, 700, 100, 900))],
)
def test_a_box_is_that_of_the_page_as_it_lies(turned: int, box: tuple[int, int, int, int]) -> None:
    picture = Recognised(1000, 2000, (), turned)
    assert picture.box(100, 100, 300, 200) == box


@pytest.mark.parametrize(
    ("facts", "needed"),
    [
        (PageFacts(900, 0, False), False),
        (PageFacts(900, 0, True, covered=0.4), False),
        (PageFacts(0, 0, True), True),
        (PageFacts(3, 0, True), True),
        (PageFacts(0, 0, False), False),  # a blank page
        (PageFacts(0, 0, False, drawn=True), True),  # letters drawn as curves
        (PageFacts(900, 200, False), True),
        (PageFacts(900, 0, False, odd=600), True),
    ],
)
def test_a_page_is_read_from_its_picture_where_its_text_is_missing_or_noise(facts: PageFacts, needed: bool) -> None:
    assert facts.needs_reading is needed


def test_readings_are_alike_whatever_their_order() -> None:
    one = "The tide gauge at the northern pier measures the water level every six minutes."
    assert likeness(one, one.upper()) == 1.0
    assert likeness(one, "The tide gauqe at tne northern pier measures the water level every 6 minutes.") > 0.85
    assert likeness(one, "Tne t!de gauqc al tbe n0rthcrn picr mcasurcs thc watcr 1evcl evcry s!x m!nutcs") < 0.6
    assert likeness("", "") == 1.0
