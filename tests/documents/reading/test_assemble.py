"""Blocks to reading text: order, joins, sections, spans."""

import pytest

from core.documents.model import Block, Box
from core.documents.reading.assemble import FORMULA, TextPiece, assemble

LEFT: Box = (80, 800, 480, 900)
RIGHT: Box = (520, 80, 920, 200)


def blocks(*rows: tuple[str, str] | tuple[str, str, int] | tuple[str, str, int, Box]) -> list[Block]:
    """(type, text, page, box); "h1" to "h6" are headings."""
    made = []
    for index, row in enumerate(rows):
        level = int(row[0][1]) if row[0][0] == "h" and row[0][1:].isdigit() else 0
        page = row[2] if len(row) > 2 else 0
        box = row[3] if len(row) > 3 else None
        made.append(Block(index, page, "text" if level else row[0], row[1], level, box))
    return made


def texts(pieces: list[TextPiece]) -> list[tuple[str, str]]:
    return [(piece.kind, piece.text) for piece in pieces]


def assert_spans_cover_the_text(pieces: list[TextPiece], source: list[Block]) -> None:
    for piece in pieces:
        assert piece.spans[0].start == 0
        assert piece.spans[-1].end == len(piece.text)
        for span in piece.spans:
            assert 0 <= span.start < span.end <= len(piece.text)
            assert span.page == source[span.block].page
            assert span.box == source[span.block].box


def test_furniture_is_left_out_and_footnotes_come_at_the_end_of_their_page() -> None:
    source = blocks(
        ("header", "Running head"),
        ("page_footnote", "1 A note."),
        ("text", "Body."),
        ("page_number", "1"),
        ("text", "Next page.", 1),
        ("footer", "foot", 1),
        ("aside_text", "aside", 1),
        ("discarded", "old", 1),
    )
    assert texts(assemble(source)) == [("text", "Body."), ("footnote", "1 A note."), ("text", "Next page.")]


def test_every_kind_of_block_is_kept() -> None:
    source = blocks(
        ("h1", "Title"),
        ("image", ""),
        ("image_caption", "Figure 1. A picture."),
        ("table_caption", "Table 1."),
        ("table", "a | b\n1 | 2"),
        ("table_footnote", "Source: us."),
        ("list", "- x\n- y"),
        ("index", "1 Start … 3"),
        ("code", "x = 1"),
        ("equation", "E = mc^2"),
        ("chart", "q | v"),
        ("ref_text", "[1] A book."),
        ("phonetic", "fəˈnɛtɪk"),
        ("unknown_type", "Kept too"),
    )
    assert [kind for kind, _ in texts(assemble(source))] == [
        "heading", "caption", "caption", "table", "caption", "list", "list", "code", "equation", "table",
        "text", "text", "text",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("left", "right", "joined"),
    [
        ("client-side web programming", "and is used for", "client-side web programming and is used for"),
        ("a hyphen-", "ated word", "a hyphenated word"),
        ("mentioned by Smith,", "who agreed", "mentioned by Smith, who agreed"),
        ("A sentence.", "another one", None),
        ("A label", "Another Label", None),
        ("costs $5.00", "and more", None),
        (
            "本文提出一种新的方法来处理多模态知识图谱的构建，",
            "并在数据集上验证了它。",
            "本文提出一种新的方法来处理多模态知识图谱的构建，并在数据集上验证了它。",
        ),
        ("姓名", "张三", None),
        ("这是一个完整的句子，它在这里已经结束了。", "另一段", None),
    ],
)
def test_a_paragraph_cut_by_a_page_is_joined(left: str, right: str, joined: str | None) -> None:
    source = blocks(("text", left, 0), ("page_footnote", "1 Note", 0), ("table", "a | b", 1), ("text", right, 1))
    pieces = assemble(source)
    assert "\n\n".join(piece.text for piece in pieces).startswith(joined or left + "\n\n")
    assert_spans_cover_the_text(pieces, source)


def test_a_joined_paragraph_maps_to_both_blocks() -> None:
    source = blocks(("text", "begins in one column", 0, LEFT), ("text", "and ends in the next.", 0, RIGHT))
    (piece,) = assemble(source)
    assert [(piece.text[s.start : s.end], s.block, s.box) for s in piece.spans] == [
        ("begins in one column", 0, LEFT),
        ("and ends in the next.", 1, RIGHT),
    ]


def test_a_paragraph_is_not_joined_across_a_heading() -> None:
    source = blocks(("text", "no end here"), ("h2", "Heading"), ("text", "lower case start"))
    assert len(assemble(source)) == 3


def test_formulas_without_text_leave_one_marker_and_take_their_fragments() -> None:
    source = blocks(("text", "where"), ("equation", ""), ("equation", ""), ("text", "m−"), ("text", "for all m in M."))
    pieces = assemble(source)
    assert texts(pieces) == [("text", "where"), ("equation", FORMULA), ("text", "for all m in M.")]
    assert [span.block for span in pieces[1].spans] == [1, 2, 3]


def test_sections_leave_out_a_title_that_stands_alone() -> None:
    source = blocks(
        ("h1", "Title"), ("text", "Front."), ("h2", "One"), ("text", "a."), ("h3", "One A"), ("text", "b."),
        ("h2", "Two"), ("text", "c."),
    )  # fmt: skip
    pieces = assemble(source)
    assert [(piece.text, piece.section, piece.major) for piece in pieces if piece.kind == "heading"] == [
        ("Title", (), False),
        ("One", ("One",), True),
        ("One A", ("One", "One A"), False),
        ("Two", ("Two",), True),
    ]
    assert [piece.section for piece in pieces if piece.kind == "text"] == [(), ("One",), ("One", "One A"), ("Two",)]


def test_several_top_headings_are_sections() -> None:
    pieces = assemble(blocks(("h1", "Chapter A"), ("text", "x."), ("h1", "Chapter B"), ("text", "y.")))
    assert [piece.section for piece in pieces] == [("Chapter A",), ("Chapter A",), ("Chapter B",), ("Chapter B",)]


def test_nothing_gives_nothing() -> None:
    assert assemble([]) == []
    assert assemble(blocks(("text", "  "), ("image", ""))) == []
