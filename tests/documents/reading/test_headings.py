"""Headings: told from what only looks like one, and put at the depth that their numbers say."""

import pytest

from core.documents.model import Block
from core.documents.reading.headings import numbered_level, refine_headings


@pytest.mark.parametrize(
    ("line", "level"),
    [
        ("第 3 章 线性模型", 2),
        ("第二节 方法", 3),
        ("Chapter IV The Sea", 2),
        ("Appendix B", 2),
        ("Item 1A—Risk Factors", 3),
        ("1 Introduction", 2),
        ("2. Overview", 2),
        ("3.1 Traces", 3),
        ("2.3.7 式 (2.18) 的解释", 4),
        ("A.2 Models", 3),
        ("IV. METHODS", 2),
        ("一、总则", 2),
        ("（一）范围", 3),
        ("(a) Comments", 3),
        ("Abstract", 0),
        ("A dog", 0),
        ("2021", 0),
    ],
)
def test_level_by_number(line: str, level: int) -> None:
    assert numbered_level(line) == level


def headings(*lines: str, level: int = 2) -> list[tuple[int, str]]:
    blocks = [Block(i, i, "text", line, level) for i, line in enumerate(lines)]
    return [(block.level, block.text) for block in refine_headings(blocks)]


@pytest.mark.parametrize(
    "line", ["!!!!", "XX X", "⃝3", "f(x) = 2", "8.6 Boosting . . . . . . . 91", "此即为，即", "", "w" * 300]
)
def test_what_cannot_be_a_heading_is_body_text(line: str) -> None:
    assert headings(line) == [(0, line)]


def test_flat_levels_follow_the_numbers() -> None:
    assert headings("Abstract", "1 Introduction", "2 Method", "2.1 Data", "3 Results", "References") == [
        (2, "Abstract"), (2, "1 Introduction"), (2, "2 Method"), (3, "2.1 Data"), (2, "3 Results"), (2, "References"),
    ]  # fmt: skip


def test_unnumbered_headings_nest_below_the_few_numbered_ones_of_a_report() -> None:
    lines = [
        "PART I",
        "Item 1—Business",
        "General",
        "Competition",
        "Item 2—Properties",
        "Warehouses",
        "Offices",
        "Land",
    ]
    assert [level for level, _ in headings(*lines)] == [2, 3, 4, 4, 3, 4, 4, 4]


def test_a_number_that_does_not_count_on_is_no_section() -> None:
    assert headings("1 Start", "52 Weeks Ended", "2 End", "Note") == [
        (2, "1 Start"), (2, "52 Weeks Ended"), (2, "2 End"), (2, "Note"),
    ]  # fmt: skip
    assert headings("1 Start", "1.1 A", "1.2 B", "52 Weeks Ended")[3] == (2, "52 Weeks Ended")


def test_real_levels_are_left_alone() -> None:
    blocks = [Block(0, 0, "text", "Title here", 1), Block(1, 0, "text", "Deep", 4), Block(2, 0, "text", "Flat", 2)]
    assert [block.level for block in refine_headings(blocks)] == [1, 4, 2]


def test_a_repeated_heading_is_a_running_title() -> None:
    assert headings("Annual Report", "Annual Report", "Annual Report", "Costs")[-2:] == [
        (0, "Annual Report"),
        (2, "Costs"),
    ]


def test_a_missed_chapter_line_becomes_a_heading() -> None:
    blocks = [Block(0, 0, "text", "第 1 章 绪论"), Block(1, 0, "text", "第 1 章介绍机器学习，内容如下。")]
    assert [block.level for block in refine_headings(blocks)] == [2, 0]


def test_entries_of_a_table_of_contents_are_not_headings() -> None:
    blocks = [
        Block(0, 0, "text", "第 1 章 绪论", 2),
        Block(1, 0, "index", "1.1 引言 . . . . . . . 3"),
        Block(2, 5, "text", "第 1 章 绪论", 2),
    ]
    assert [block.level for block in refine_headings(blocks)] == [0, 0, 2]
