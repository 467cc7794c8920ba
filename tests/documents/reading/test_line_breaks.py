"""Line breaks of plain text: those of wrapped paragraphs are joined, those that a writer made are kept."""

import textwrap

import pytest

from core.documents.reading.assemble import assemble
from core.documents.reading.blocks import clean_blocks
from core.documents.reading.chunk import chunk_pieces
from core.documents.reading.plain_text import text_blocks, unwrapped

PROSE = (
    "The ferry leaves the old harbour every morning at a quarter past seven, and it takes a little less than an hour "
    "to the island. Tickets are sold on board by the purser, who takes cards and coins but no notes above fifty. "
    "Bicycles travel without a charge as long as there is room for them on the lower deck behind the engine."
)
HAN = "渡轮每天早上七点一刻从旧港出发，不到一个小时就能到达岛上。船票由乘务员在船上出售，可以刷卡，也可以使用硬币。" * 3
KEPT = {
    "an address": "Anna Example\nHarbour Office\n12 Long Street\nLittle Haven LH1 2AB",
    "verses": "The tide goes out and leaves the stones,\nthe tide comes in and takes them home,\nand no one asks",
    "keys and values": "Deposit: 500 EUR\nDue date: the first of each month\nReturned: within six weeks of moving out",
    "a timetable": "07:15  Old Harbour   Island Pier\n09:40  Island Pier   Old Harbour\n12:00  Old Harbour   North Bay",
    "a log": "\n".join(
        f"2026-11-2{day} 07:15:00 INFO ferry.gate The gate of pier {day} was opened by guard" for day in range(9)
    ),
    "a list without marks": "two onions\nthree carrots\na pound of flour\nsalt",
    "Chinese lines": "地址：旧港街十二号\n电话：020-1234567\n营业时间：周一至周五",
}


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_breaks_that_a_writer_made_are_kept(text: str) -> None:
    assert unwrapped(text.split("\n")) == text.split("\n")
    (block,) = clean_blocks(text_blocks(text, markdown=False))
    assert block.text.split("\n") == [" ".join(line.split()) for line in text.split("\n")]


@pytest.mark.parametrize("text", KEPT.values(), ids=KEPT)
def test_they_are_kept_beside_wrapped_prose(text: str) -> None:
    around = [*textwrap.wrap(PROSE, 72), ""]
    assert unwrapped([*around, *text.split("\n"), "", *around]) == [PROSE, "", *text.split("\n"), "", PROSE, ""]


@pytest.mark.parametrize("width", [60, 72, 80])
def test_wrapped_prose_is_one_line(width: int) -> None:
    assert unwrapped(textwrap.wrap(PROSE, width)) == [PROSE]


def test_wrapped_chinese_is_joined_without_spaces() -> None:
    assert unwrapped([HAN[start : start + 36] for start in range(0, len(HAN), 36)]) == [HAN]


def test_a_word_hyphenated_at_the_end_of_a_line_is_whole_again() -> None:
    lines = [
        "The purser sells tickets on board and takes cards and coins but no bank-",
        "notes above fifty, because there is no change on the ferry at that early",
        "hour of the morning.",
    ]
    assert unwrapped(lines)[0].startswith(
        "The purser sells tickets on board and takes cards and coins but no banknotes"
    )


def test_an_item_begins_a_line_and_its_wrapped_lines_join_it() -> None:
    lines = [*textwrap.wrap(f"1. {PROSE}", 72, subsequent_indent="   "), *textwrap.wrap(f"2. {PROSE}", 72)]
    assert unwrapped(lines) == [f"1. {PROSE}", f"2. {PROSE}"]


def test_an_address_of_the_web_keeps_the_line_that_it_was_put_on() -> None:
    lines = [
        "Timetable of the ferry and the prices of the tickets, all stops:",
        "https://ferry.example/timetable/of/the/year/2026",
    ]
    around = [*textwrap.wrap(PROSE, 72), ""]
    assert unwrapped([*around, *lines]) == [PROSE, "", *lines]
    assert unwrapped(lines * 3) == lines * 3


def test_paragraphs_of_a_line_each_stay_apart() -> None:
    assert unwrapped([PROSE, PROSE.upper(), HAN]) == [PROSE, PROSE.upper(), HAN]


def test_what_is_read_keeps_its_place_in_the_blocks_that_it_comes_from() -> None:
    lines = [*textwrap.wrap(PROSE, 72), "", *KEPT["keys and values"].split("\n"), "", *textwrap.wrap(PROSE * 6, 72)]
    blocks = clean_blocks(text_blocks("\n".join(lines), markdown=False))
    chunks = chunk_pieces("a document", assemble(blocks))
    placed = [(chunk.text[span.start : span.end], blocks[span.block].text) for chunk in chunks for span in chunk.spans]
    assert all(said and said in whole for said, whole in placed)
    assert {whole for _, whole in placed} == {block.text for block in blocks}
    assert "Deposit: 500 EUR\nDue date: the first of each month" in chunks[0].text


def test_a_chapter_right_below_a_full_line_is_no_part_of_the_paragraph() -> None:
    lines = textwrap.wrap(HAN, 35)
    found = text_blocks("\n".join([*lines, "第二章 海上风云", *lines]), False)
    assert "第二章 海上风云" in [block.text for block in found]
