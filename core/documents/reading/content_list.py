"""MinerU's content_list (V1, written by 1.x to 4.x) and structured_content (4.x) as blocks. Pure functions.

Every field is untrusted and may be missing.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.documents.model import Block, Box
from core.documents.reading.plain_text import inline_text, text_blocks
from core.documents.reading.tables import latex_rows, rows_text, table_rows
from core.platform.errors import InputError

_TEXTS = frozenset(
    {"text", "ref_text", "phonetic", "header", "footer", "page_number", "aside_text", "page_footnote", "discarded"}
)
_BODIES = {"table": "table_body", "image": "content", "chart": "content", "code": "code_body"}
_OLD_NAMES = {"image_caption": "img_caption", "image_footnote": "img_footnote"}
"""Names of the fields in MinerU 1.x and 2.0."""
_LISTS = frozenset({"list", "index"})
_HEADINGS = frozenset({"doc_title", "paragraph_title"})
"""Types of structured_content."""
_MATH = re.compile(r"(\$[^$\n]{1,2000}\$)")
_DISPLAY = re.compile(r"\A\s*\$\$(.*?)\$\$\s*\Z", re.DOTALL)
_FENCE = re.compile(r"`{3,}|~{3,}")
_WRAPPED = re.compile(r"\A\s*<(div|pre)\b[^>]*>(.*)</\1>\s*\Z", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,2000}>")
_MAX_TABLE_MARKUP = 300_000
"""Longer markup is dropped; the block's text still holds the rows."""
_DEEPEST_LEVEL = 6
_LAST_PAGE = 100_000


@dataclass(frozen=True, slots=True)
class ListedBlock:
    blocks: tuple[Block, ...]
    pages: int
    """0 for formats without pages (Office)."""
    unknown: int
    """Number of entries of an unknown type; their text is kept."""


@dataclass(frozen=True, slots=True)
class _Piece:
    type: str
    text: str
    level: int = 0
    html: str = ""


def entries_in(data: bytes | str, name: str) -> list[Any]:
    """The entries of a content list. Raises InputError for anything else, for the v2 form and for an empty list."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError("mineru.result.not_json", name=name) from error
    if not isinstance(found, list):
        raise InputError("mineru.result.no_list", name=name)
    if any(isinstance(entry, list) for entry in found):
        raise InputError("mineru.result.v2", name=name)
    if not any(isinstance(entry, dict) for entry in found):
        raise InputError("mineru.result.empty", name=name)
    return found


def listed(entries: Sequence[Any], first_page: int = 0) -> ListedBlock:
    """Blocks in the given order, numbered from 0; first_page is added to every page number."""
    blocks: list[Block] = []
    page = unknown = 0
    for entry in entries:
        if not isinstance(entry, dict):
            unknown += 1
            continue
        page = _page(entry.get("page_idx"), page)
        kind, box = _name(entry.get("type")), _box(entry.get("bbox"))
        unknown += not _is_known(kind)
        for piece in _pieces(kind, entry):
            if piece.text.strip() or piece.type in ("equation", "image", "table", "chart"):
                blocks.append(
                    Block(len(blocks), first_page + page, piece.type, piece.text, piece.level, box, piece.html)
                )
    last = max((block.page for block in blocks), default=0)
    has_pages = last > 0 or any(block.box for block in blocks)
    return ListedBlock(tuple(blocks), last + 1 if has_pages else 0, unknown)


def _is_known(kind: str) -> bool:
    return kind in _TEXTS or kind in _BODIES or kind in _LISTS or kind == "equation"


def _pieces(kind: str, entry: Mapping[str, Any]) -> Iterator[_Piece]:
    if kind in _BODIES:
        yield from _visual(kind, entry)
    elif kind in _LISTS:
        yield _Piece(kind, "\n".join(_words(item) for item in _items(entry.get("list_items"))) or _text_of(entry))
    elif kind == "equation":
        yield _Piece(kind, _formula(entry.get("text")))
    elif kind in _TEXTS:
        yield _Piece(kind, _text_of(entry), _level(entry.get("text_level")) if kind == "text" else 0)
    else:
        yield from _anything(entry)


def _visual(kind: str, entry: Mapping[str, Any]) -> Iterator[_Piece]:
    """Caption, body and note as separate blocks, all with the box of the whole."""
    for caption in _annotations(entry, f"{kind}_caption"):
        yield _Piece(f"{kind}_caption", caption)
    body = entry.get(_BODIES[kind])
    if kind in ("table", "chart"):
        text, html = table_text(body if isinstance(body, str) else "")
        yield _Piece(kind, text, 0, html)
    elif kind == "code":
        yield _Piece(kind, _code(body if isinstance(body, str) else _string(entry.get("text"))))
    else:
        yield _Piece(kind, _words(_string(body)))
    for note in _annotations(entry, f"{kind}_footnote"):
        yield _Piece(f"{kind}_footnote", note)


def _anything(entry: Mapping[str, Any]) -> Iterator[_Piece]:
    """All text of an entry of an unknown type."""
    for field in sorted(entry):
        if field in ("text", "content", "list_items") or field.endswith(("_body", "_caption", "_footnote")):
            for text in _items(entry[field]):
                yield _Piece("text", table_text(text)[0] if "<t" in text else _words(text))


def table_text(body: str) -> tuple[str, str]:
    """(rows as text, markup) of a table in HTML, Markdown or LaTeX; the markup is kept for HTML only."""
    if "<t" in body:
        rows = table_rows(body)
        text = rows_text(rows) if rows else _TAG.sub(" ", body).strip()
        return text, body if len(body) <= _MAX_TABLE_MARKUP else ""
    if "\\begin{tabular" in body or "\\begin{array" in body:
        return rows_text(latex_rows(body)), ""
    return "\n".join(block.text for block in text_blocks(body, markdown=True)), ""


def _annotations(entry: Mapping[str, Any], field: str) -> list[str]:
    found = entry.get(field) or entry.get(_OLD_NAMES.get(field, field))
    return [words for item in _items(found) if (words := _words(item).strip())]


def _items(value: object) -> list[str]:
    """The strings of a list; a single string counts as a list of one, anything else as empty."""
    values = value if isinstance(value, list) else [value]
    return [item if isinstance(item, str) else _string(item) for item in values if isinstance(item, str | dict)]


def _string(value: object) -> str:
    """The text of a string, or of an object with a text field."""
    if isinstance(value, dict):
        inner = value.get("text") or value.get("content")
        return inner if isinstance(inner, str) else ""
    return value if isinstance(value, str) else ""


def _text_of(entry: Mapping[str, Any]) -> str:
    return _words(_string(entry.get("text")))


def _words(markdown: str) -> str:
    """Rendered text of Markdown; formulas and indentation are kept."""
    depth = len(markdown) - len(markdown.lstrip(" "))
    pieces = _MATH.split(markdown)
    shown = "".join(piece if number % 2 else inline_text(piece) for number, piece in enumerate(pieces))
    return " " * min(depth, 40) + shown.strip()


def _formula(value: object) -> str:
    text = _string(value)
    found = _DISPLAY.match(text)
    return (found[1] if found else text).strip()


def _code(body: str) -> str:
    return _unwrapped(_unfenced(_unwrapped(body))).strip("\n")


def _unwrapped(body: str) -> str:
    found = _WRAPPED.match(body)
    return found[2] if found else body


def _unfenced(body: str) -> str:
    """Split by hand: a pattern that leaves out the blanks before the end takes quadratic time in them."""
    first, _, rest = body.strip().partition("\n")
    fence = _FENCE.match(first)
    return rest.removesuffix(fence[0]).rstrip() if fence and rest.endswith(fence[0]) else body


def _name(value: object) -> str:
    return value if isinstance(value, str) else ""


def _page(value: object, before: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        return before
    return min(max(0, value), _LAST_PAGE)


def _level(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        return 0
    return min(max(0, value), _DEEPEST_LEVEL)


def _box(value: object) -> Box | None:
    if not isinstance(value, list) or len(value) != 4:
        return None
    sides = [side for side in value if isinstance(side, int | float) and not isinstance(side, bool)]
    if len(sides) != 4 or not all(math.isfinite(side) for side in sides):
        return None
    left, top, right, bottom = (round(min(1000, max(0, side))) for side in sides)
    return left, top, right, bottom


def entries_of(document: object, name: str) -> list[dict[str, Any]]:
    """Entries of a content list, as MinerU's own renderer makes them of structured_content. Raises InputError."""
    pages = document.get("pages") if isinstance(document, dict) else None
    if not isinstance(pages, list):
        raise InputError("mineru.result.no_list", name=name)
    return [entry for page in pages if isinstance(page, dict) for entry in _page_entries(page)]


def _page_entries(page: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    blocks = page.get("blocks")
    for block in blocks if isinstance(blocks, list) else ():
        if isinstance(block, dict):
            entry = _entry(block) | {"page_idx": page.get("page_idx")}
            if box := _thousandths(block.get("bbox")):
                entry["bbox"] = box
            yield entry


def _entry(block: Mapping[str, Any]) -> dict[str, Any]:
    kind, content = block.get("type"), block.get("content")
    if kind in _HEADINGS:
        return {"type": "text", "text": content, "text_level": block.get("level") or 1}
    if isinstance(kind, str) and kind in _BODIES:
        return {
            "type": kind,
            _BODIES[kind]: content,
            f"{kind}_caption": _contents(block.get("captions")),
            f"{kind}_footnote": _contents(block.get("footnotes")),
        }
    if kind in ("list", "index"):
        return {"type": kind, "list_items": content.split("\n") if isinstance(content, str) else content}
    return {"type": kind, "text": content}


def _contents(parts: object) -> list[Any]:
    found = parts if isinstance(parts, list) else []
    return [part.get("content") if isinstance(part, dict) else part for part in found]


def _thousandths(box: object) -> list[float]:
    if not isinstance(box, list) or not all(isinstance(side, int | float) for side in box):
        return []
    return [1000 * side for side in box]
