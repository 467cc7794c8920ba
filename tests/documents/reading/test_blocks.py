"""Clean blocks: display text, sane boxes, page numbers told from text."""

import pytest

from core.documents.model import Block, Box
from core.documents.reading.blocks import clean_blocks, with_running_lines


def test_text_is_cleaned_by_type() -> None:
    blocks = clean_blocks(
        [
            Block(7, 0, "text", "ﬁrst\nline "),
            Block(8, 0, "list", "- a\n    - b \n\n"),
            Block(9, 0, "code", "if x:\n\ty"),
            Block(9, 0, "table", "量（%）| b\n1 | 2", html="<table>\x00</table>"),
            Block(9, -4, "index", "1 Start . . . . . . . . 7"),
        ]
    )
    assert [block.text for block in blocks] == [
        "first line", "- a\n    - b", "if x:\n    y", "量（%）| b\n1 | 2", "1 Start … 7",
    ]  # fmt: skip
    assert [block.index for block in blocks] == [0, 1, 2, 3, 4]
    assert blocks[3].html == "<table></table>"
    assert blocks[4].page == 0


def test_boxes_are_put_in_order_and_on_the_page() -> None:
    boxes: list[Box | None] = [(900, 10, 100, 20), (-5, 0, 2000, 10), (5, 5, 5, 9), None]
    assert [block.box for block in clean_blocks(Block(0, 0, "text", "x", box=box) for box in boxes)] == [
        (100, 10, 900, 20), (0, 0, 1000, 10), None, None,
    ]  # fmt: skip


def test_lone_numbers_in_the_margin_or_counting_with_the_pages_are_page_numbers() -> None:
    middle: Box = (490, 700, 510, 710)
    blocks = clean_blocks(
        [
            Block(0, 0, "text", "- 3 -", box=(490, 950, 510, 960)),
            *(Block(0, page, "text", str(page + 12), box=middle) for page in range(3)),
            Block(0, 3, "text", "2021", box=middle),
        ]
    )
    assert [block.type for block in blocks] == ["page_number"] * 4 + ["text"]


def test_words_that_recur_at_one_height_in_the_margin_of_three_pages_are_running_lines() -> None:
    blocks = [
        block
        for page in range(3)
        for block in (
            Block(0, page, "text", "Chapter 2 Cleaning", 2, (100, 34 + page, 220, 48)),
            Block(1, page, "text", "Chapter 2 Cleaning", 2, (100, 300, 220, 314)),
            Block(2, page, "text", f"Only here {'abc'[page]}", 0, (100, 60, 220, 70)),
            Block(3, page, "text", f"ACME Manual – Page {page + 9}", 0, (99, 956, 264, 971)),
        )
    ]
    assert [block.type for block in with_running_lines(blocks)] == ["header", "text", "text", "footer"] * 3
    assert [block.level for block in with_running_lines(blocks)][:2] == [0, 2]
    assert with_running_lines(blocks[:8]) == blocks[:8]


def test_what_stands_at_another_height_is_no_running_line() -> None:
    tops = (20, 20, 20, 45)
    blocks = [Block(0, page, "text", "Cleaning", 0, (100, top, 220, top + 9)) for page, top in enumerate(tops)]
    assert [block.type for block in with_running_lines(blocks)] == ["header", "header", "header", "text"]


@pytest.mark.parametrize(
    ("texts", "is_running"),
    [
        (["Page 1 of 3", "Page 2 of 3", "Page 3 of 3"], True),
        (["Manual 2024 · 7", "Manual 2024 · 8", "Manual 2024 · 9"], True),
        (["Invoice No. 1001", "Invoice No. 1002", "Invoice No. 1007"], False),
        (["Ward 12", "Ward", "Ward 14"], False),
    ],
)
def test_lines_that_differ_by_another_number_than_the_pages_are_text(texts: list[str], is_running: bool) -> None:
    blocks = [Block(0, page, "text", text, 0, (100, 20, 220, 29)) for page, text in enumerate(texts)]
    assert {block.type for block in with_running_lines(blocks)} == ({"header"} if is_running else {"text"})
