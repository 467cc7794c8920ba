"""Pieces to chunks: sizes, borders, tables, spans, ids."""

from hashlib import sha256
from itertools import pairwise

import pytest

from core.documents.model import Block, Chunk
from core.documents.reading.assemble import assemble
from core.documents.reading.chunk import LIMIT, MOST, chunk_pieces
from core.documents.reading.normalise import weight

ENGLISH = "The spider monkey records traces of hot loops and compiles them to native code for speed. "
CHINESE = "知识图谱把实体和关系连接起来，使得检索系统能够沿着边找到相关的证据。"


def chunks_of(*blocks: Block) -> list[Chunk]:
    return chunk_pieces("doc", assemble(blocks))


def paragraph(index: int, text: str, page: int = 0) -> Block:
    return Block(index, page, "text", text.strip(), box=(10, 10 + index, 900, 20 + index))


def heading(index: int, text: str, level: int = 2) -> Block:
    return Block(index, 0, "text", text, level)


def squeezed(text: str) -> str:
    return "".join(text.split())


@pytest.mark.parametrize("sentence", [ENGLISH, CHINESE], ids=["en", "zh"])
@pytest.mark.parametrize("repeats", [1, 5, 13, 40, 400])
def test_a_long_paragraph_is_cut_between_sentences_into_even_chunks(sentence: str, repeats: int) -> None:
    chunks = chunks_of(paragraph(0, sentence * repeats))
    assert squeezed("".join(chunk.text for chunk in chunks)) == squeezed(sentence * repeats)
    assert all(weight(chunk.text) <= MOST for chunk in chunks)
    assert all(chunk.text[-1] in ".。" for chunk in chunks)
    if len(chunks) > 1:
        assert min(weight(chunk.text) for chunk in chunks) > 0.5 * LIMIT


@pytest.mark.parametrize("text", ["x" * 20_000, "知" * 9_000, "word " * 4_000, "甲，" * 4_000, "a" * 3_000_000])
def test_text_without_sentences_is_cut_all_the_same(text: str) -> None:
    chunks = chunks_of(paragraph(0, text))
    assert squeezed("".join(chunk.text for chunk in chunks)) == squeezed(text)
    assert all(weight(chunk.text) <= MOST for chunk in chunks)


def test_no_chunk_reaches_across_a_main_section_and_headings_stay_with_their_text() -> None:
    chunks = chunks_of(
        paragraph(0, "Front matter."), heading(1, "One"), paragraph(2, "Small."), heading(3, "One A", 3),
        paragraph(4, ENGLISH * 2), heading(5, "Two"), heading(6, "Two A", 3), paragraph(7, ENGLISH),
    )  # fmt: skip
    assert [chunk.section for chunk in chunks] == [(), ("One",), ("Two", "Two A")]
    assert chunks[1].text.startswith("One\n\nSmall.\n\nOne A\n\nThe spider")
    assert chunks[2].text.startswith("Two\n\nTwo A\n\nThe spider")


def test_a_subsection_begins_a_chunk_when_the_one_before_is_half_full() -> None:
    chunks = chunks_of(heading(0, "One"), paragraph(1, ENGLISH * 8), heading(2, "One A", 3), paragraph(3, ENGLISH * 8))
    assert [chunk.section for chunk in chunks] == [("One",), ("One", "One A")]


def test_a_light_rest_joins_the_chunk_before_it() -> None:
    chunks = chunks_of(heading(0, "One"), paragraph(1, ENGLISH * 13), paragraph(2, "Thanks to all."))
    assert len(chunks) == 1
    assert chunks[0].text.endswith("Thanks to all.")


def test_a_split_table_keeps_rows_whole_and_repeats_its_heading_row() -> None:
    rows = [f"Region {number} | {number * 7} | a remark on the region that takes some room" for number in range(80)]
    table = Block(1, 3, "table", "\n".join(["Name | Value | Remark", *rows]), box=(1, 2, 3, 4))
    caption = Block(0, 3, "table_caption", "Table 1. Regions.", box=(5, 6, 7, 8))
    chunks = chunks_of(caption, table)
    assert len(chunks) > 3
    assert chunks[0].text.startswith("Table 1. Regions.\n\nName | Value | Remark\nRegion 0")
    assert all("Name | Value | Remark\n" in chunk.text for chunk in chunks)
    lines = [line for chunk in chunks for line in chunk.text.split("\n") if line.startswith("Region")]
    assert lines == rows
    assert all(chunk.boxes(0, len(chunk.text))[-1] == (3, (1, 2, 3, 4)) for chunk in chunks)


def test_a_title_row_across_all_columns_is_repeated_with_the_heading_row() -> None:
    rows = [f"item {number} | {'x' * 100}" for number in range(40)]
    chunks = chunks_of(Block(0, 0, "table", "\n".join(["Prices | Prices", "Item | Price", *rows])))
    assert all(chunk.text.startswith("Prices | Prices\nItem | Price\n") for chunk in chunks)


def test_all_rows_above_the_first_figures_are_headings() -> None:
    rows = [f"state {number} | {number} | {'1,234 ' * 20}" for number in range(40)]
    head = "Checks\nNovember 2015\nPawn | Sale\nState | Permit | Total"
    chunks = chunks_of(Block(0, 0, "table", "\n".join([head, *rows])))
    assert len(chunks) > 1
    assert all(chunk.text.startswith(head + "\nstate") for chunk in chunks)


def test_a_monstrous_row_is_cut_and_its_heading_not_repeated_for_ever() -> None:
    chunks = chunks_of(Block(0, 0, "table", "\n".join(["h" * 2000, "cell " * 3000, "short | row"])))
    assert all(weight(chunk.text) <= MOST for chunk in chunks)
    assert chunks[-1].text.endswith("short | row")


def test_lists_and_code_are_cut_between_lines() -> None:
    items = "\n".join(f"- item number {number} of the long list" for number in range(100))
    for kind in ("list", "code"):
        chunks = chunks_of(Block(0, 0, kind, items))
        assert len(chunks) > 1
        assert "\n".join(chunk.text for chunk in chunks) == items


def test_spans_map_every_character_to_its_block() -> None:
    blocks = [heading(0, "One"), *(paragraph(n, f"{n} " + ENGLISH * 3, page=n // 4) for n in range(1, 12))]
    for chunk in chunk_pieces("doc", assemble(blocks)):
        for span in chunk.spans:
            stretch = chunk.text[span.start : span.end]
            assert squeezed(stretch) in squeezed(blocks[span.block].text)
            assert (span.page, span.box) == (blocks[span.block].page, blocks[span.block].box)
        covered = {place for span in chunk.spans for place in range(span.start, span.end)}
        assert all(chunk.text[place].isspace() for place in range(len(chunk.text)) if place not in covered)
        assert all(left.end <= right.start for left, right in pairwise(chunk.spans))


def test_boxes_under_a_quote_are_those_of_its_blocks() -> None:
    (chunk,) = chunks_of(paragraph(0, "First paragraph here."), paragraph(1, "Second paragraph here.", page=1))
    start = chunk.text.index("Second")
    assert chunk.boxes(start, start + 6) == ((1, (10, 11, 900, 21)),)


def test_ids_follow_from_document_place_and_text() -> None:
    (chunk,) = chunks_of(paragraph(0, "Some text."))
    assert chunk.id == sha256("\0".join(("chunk", "doc", "0", "Some text.")).encode()).hexdigest()[:24]
    assert chunk_pieces("doc", assemble([paragraph(0, "Some text.")])) == [chunk]


def test_headings_alone_still_make_a_chunk() -> None:
    assert [chunk.text for chunk in chunks_of(heading(0, "One"), heading(1, "Two"))] == ["One\n\nTwo"]
    assert chunks_of() == []


@pytest.mark.parametrize("opening", ["These are needed:", "How is it wired?"])
def test_what_announces_a_text_is_not_cut_from_it(opening: str) -> None:
    chunks = chunks_of(paragraph(0, ENGLISH * 11), paragraph(1, opening), paragraph(2, ENGLISH * 5))
    assert [chunk.text.startswith(opening) for chunk in chunks] == [False, True]


def test_a_list_is_not_cut_before_its_last_items() -> None:
    items = "\n".join(f"- item {number} of the long list of parts that are needed" for number in range(28))
    assert weight(items) > LIMIT
    (chunk,) = chunks_of(Block(0, 0, "list", items))
    assert chunk.text == items
