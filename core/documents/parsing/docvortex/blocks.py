"""docvortex's semantic pages as MinerU content_list blocks: types, levels, boxes in thousandths, tables as rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.documents.model import Block, Box
from core.documents.reading.tables import rows_text, spaced_rows, table_rows

_TITLES = {"doc_title", "paragraph_title"}
_VISUALS = {"image", "table", "chart", "code"}
_MAX_TABLE_MARKUP = 300_000
"""Longer markup is omitted from the block; its rows are in the text."""


@dataclass(frozen=True, slots=True)
class _Piece:
    type: str
    text: str
    level: int
    box: Box | None
    html: str = ""


def content_blocks(pages: Sequence[Mapping[str, Any]], has_pages: bool) -> list[Block]:
    """Blocks of all pages in reading order. If the format has no meaningful pages, every block is on page 0."""
    blocks: list[Block] = []
    for page in pages:
        number = page.get("page_idx", 0) if has_pages else 0
        for block in page.get("blocks", ()):
            for piece in _pieces(block):
                blocks.append(Block(len(blocks), number, piece.type, piece.text, piece.level, piece.box, piece.html))
    return blocks


def _pieces(block: Mapping[str, Any]) -> Iterator[_Piece]:
    kind = str(block["type"])
    if kind in _VISUALS:
        yield from _visual(kind, block)
    elif kind in _TITLES:
        yield _Piece("text", _text(block["content"]), int(block["level"]), _box(block))
    elif kind in ("list", "index"):
        yield _Piece(kind, "\n".join(_items(block, 0)), 0, _box(block))
    else:
        yield _Piece(kind, _text(block.get("content", "")), 0, _box(block))


def _visual(kind: str, block: Mapping[str, Any]) -> Iterator[_Piece]:
    """The body with its captions and notes in the given order, each with its own box if it has one."""
    for child in block["content"]:
        part = str(child["type"])
        box = _box(child) or _box(block)
        if part in ("table_body", "chart_body"):
            markup = str(child.get("content") or "")
            is_markup = "<t" in markup
            rows = table_rows(markup) if is_markup else spaced_rows(markup)
            yield _Piece(
                kind, rows_text(rows), 0, box, markup if is_markup and len(markup) <= _MAX_TABLE_MARKUP else ""
            )
        elif part.endswith("_body"):
            yield _Piece(kind, _text(child.get("content") or ""), 0, box)
        else:
            yield _Piece(part, _text(child["content"]), 0, box)


def _items(block: Mapping[str, Any], depth: int) -> Iterator[str]:
    for child in block["content"]:
        if child["type"] in ("list", "index"):
            yield from _items(child, depth + 1)
        elif text := _text(child["content"]).strip():
            yield "    " * depth + text


def _text(content: Any) -> str:
    """Text of inline spans, with formulas between dollar signs."""
    if isinstance(content, str):
        return content
    pieces = []
    for span in content:
        words = _text(span.get("content", ""))
        pieces.append(f"${words}$" if span.get("type") == "equation_inline" else words)
    return "".join(pieces)


def _box(block: Mapping[str, Any]) -> Box | None:
    if not block.get("bbox"):
        return None
    left, top, right, bottom = (min(1000, max(0, round(1000 * value))) for value in block["bbox"])
    return left, top, right, bottom
