"""First half of the bridge: blocks become pieces of one running text with a title and a language. Pure functions."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from core.documents.model import Block, Span
from core.documents.reading.blocks import FURNITURE, HIDDEN
from core.documents.reading.normalise import is_han, one_line
from core.platform.language.detect import document_language
from core.platform.language.scripts import HAN

FORMULA = "[formula]"
"""Placeholder for a formula without text."""
_KINDS = {
    "list": "list",
    "index": "list",
    "table": "table",
    "chart": "table",
    "image": "caption",
    "code": "code",
    "equation": "equation",
    "page_footnote": "footnote",
    HIDDEN: HIDDEN,
}
_WORD = re.compile(rf"[^\W\d_]{{3,}}|[{HAN}]|\d{{2}}")
_FRAGMENT_LENGTH = 12
_OPEN_ENDS = "-\u2010,，、（("
_LOOK_BACK = 8
_LONG_LINE = 20
"""Shorter Chinese lines without a full stop are labels, not the first half of a sentence."""
_LONGEST_TITLE = 200
_LANGUAGE_SAMPLE = 4000
_TITLE_WORD = re.compile(rf"[^\W\d_]{{3,}}|[{HAN}]{{2,}}")
_MACHINE_MADE = re.compile(
    r"^(?:microsoft (?:word|powerpoint|excel)\b|untitled(?:\b|\d+$)|无标题|未命名|document\d*$"
    r"|.+\.(?:docx?|pptx?|xlsx?|pdf|tex|dvi|indd|qxd|html?)$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A paragraph, heading, list, table, caption, code block, formula or footnote of the running text."""

    kind: str
    text: str
    spans: tuple[Span, ...]
    section: tuple[str, ...] = ()
    """Heading path, outermost first; a heading's own path includes the heading."""
    major: bool = False
    """Whether it is the heading of a main section; chunks do not cross main sections."""


def assemble(blocks: Sequence[Block]) -> list[TextPiece]:
    """Pieces in reading order: page furniture left out, footnotes at the end of their page, split paragraphs joined."""
    pieces: list[TextPiece] = []
    for block in _reading_order(blocks):
        piece = _piece(block)
        if piece is None:
            continue
        host = _continued(pieces, piece, block, blocks)
        if host is None:
            pieces.append(piece)
        else:
            pieces[host] = _joined(pieces[host], piece)
    return _sectioned(pieces, blocks)


def _reading_order(blocks: Sequence[Block]) -> list[Block]:
    ordered: list[Block] = []
    notes: list[Block] = []
    page = 0
    for block in blocks:
        if block.page != page:
            ordered += notes
            notes, page = [], block.page
        if block.type == "page_footnote":
            notes.append(block)
        elif block.type not in FURNITURE:
            ordered.append(block)
    return ordered + notes


def _piece(block: Block) -> TextPiece | None:
    text = block.text.strip() or (FORMULA if block.type == "equation" else "")
    if not text:
        return None
    usual = "caption" if block.type.endswith(("_caption", "_footnote")) else "text"
    kind = "heading" if block.level else _KINDS.get(block.type, usual)
    return TextPiece(kind, text, (Span(0, len(text), block.index, block.page, block.box),))


def _continued(pieces: list[TextPiece], piece: TextPiece, block: Block, blocks: Sequence[Block]) -> int | None:
    """Index of the piece that this one continues: a paragraph cut by a column, page or figure, or a run of formulas."""
    if not pieces:
        return None
    last = pieces[-1]
    if last.kind == "equation" and last.text == FORMULA and (piece.text == FORMULA or _is_fragment(piece)):
        return len(pieces) - 1
    return _open_paragraph(pieces, piece, block, blocks) if piece.kind == "text" else None


def _open_paragraph(pieces: list[TextPiece], piece: TextPiece, block: Block, blocks: Sequence[Block]) -> int | None:
    """The paragraph before figures, footnotes and notices that this one completes."""
    for host in range(len(pieces) - 1, max(-1, len(pieces) - 1 - _LOOK_BACK), -1):
        opened = pieces[host]
        if opened.kind in ("heading", "equation"):
            return None
        if opened.kind == "text" and opened.text[-1].isalpha() | (opened.text[-1] in _OPEN_ENDS):
            before = blocks[opened.spans[-1].block]
            return host if _goes_on(opened.text, piece.text, before, block) else None
    return None


def _is_fragment(piece: TextPiece) -> bool:
    """Whether it is a sign or index that the parser cut out of a formula."""
    return piece.kind == "text" and len(piece.text) <= _FRAGMENT_LENGTH and not _WORD.search(piece.text)


def _goes_on(left: str, right: str, before: Block, after: Block) -> bool:
    if right[0].islower():
        return True
    if not (is_han(left[-1]) and is_han(right[0])) or len(left) < _LONG_LINE:
        return False
    moved_up = before.box is not None and after.box is not None and after.box[1] < before.box[1]
    return after.page != before.page or moved_up


def _joined(host: TextPiece, piece: TextPiece) -> TextPiece:
    if host.kind == "equation":
        spans = tuple(replace(span, start=0, end=len(host.text)) for span in piece.spans)
        return replace(host, spans=host.spans + spans)
    left, between = host.text, " "
    if left[-1] in "-\u2010" and left[-2:-1].isalpha():
        left, between = left[:-1], ""
    elif is_han(left[-1]) and is_han(piece.text[0]):
        between = ""
    offset = len(left) + len(between)
    kept = tuple(replace(span, end=min(span.end, len(left))) for span in host.spans)
    moved = tuple(replace(span, start=span.start + offset, end=span.end + offset) for span in piece.spans)
    return replace(host, text=left + between + piece.text, spans=kept + moved)


def _sectioned(pieces: list[TextPiece], blocks: Sequence[Block]) -> list[TextPiece]:
    """Pieces with their heading paths; a lone title at the top is not a section."""
    levels = [blocks[piece.spans[0].block].level if piece.kind == "heading" else 0 for piece in pieces]
    tops = levels.count(1)
    main = min((level for level in levels if level > (1 if tops == 1 else 0)), default=0)
    path: list[tuple[int, str]] = []
    placed: list[TextPiece] = []
    for piece, level in zip(pieces, levels, strict=True):
        is_title = level == 1 and tops == 1
        if level and not is_title:
            path = [*((above, name) for above, name in path if above < level), (level, piece.text)]
        section = tuple(name for _, name in path)
        placed.append(replace(piece, section=section, major=0 < level <= main and not is_title))
    return placed


def title_of(blocks: Sequence[Block], declared: str, name: str) -> str:
    """The title on the first pages, else that of the file's properties, else the file name without its extension."""
    headed = next((block.text for block in blocks if block.level == 1 and block.page <= 1), "")
    for candidate in (headed, declared):
        title = one_line(candidate)
        if _TITLE_WORD.search(title) and len(title) <= _LONGEST_TITLE and not _MACHINE_MADE.match(title):
            return title
    return one_line(PurePath(name.replace("\\", "/")).stem)[:_LONGEST_TITLE] or one_line(name)[:_LONGEST_TITLE]


def language_of(pieces: Sequence[TextPiece]) -> str:
    """Language of the prose after the first third: covers and front matter are often in another language."""
    prose = [piece.text for piece in pieces if piece.kind in ("text", "list")] or [piece.text for piece in pieces]
    text = "\n".join(prose)
    start = len(text) // 3 if len(text) > 3 * _LANGUAGE_SAMPLE else 0
    return document_language(text[start : start + _LANGUAGE_SAMPLE])
