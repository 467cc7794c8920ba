"""Second half of the bridge: packs pieces into chunks for search and reading. Pure functions.

A chunk aims at 1,000 Latin letters or 500 Chinese characters (a Han character weighs two) and stays under 1,600: long
enough to answer a question on its own, short enough that a citation's boxes point at a paragraph and not at a page.
Chunks do not overlap: the section path, which is indexed with the text, carries the context that an overlap would.
"""

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.documents.model import CELL_BREAK, Chunk, Span
from core.documents.reading.assemble import TextPiece
from core.documents.reading.blocks import HIDDEN
from core.documents.reading.normalise import weight
from core.platform.ids import content_id
from core.platform.language.sentences import sentence_spans

TARGET = 1000
LIMIT = 1200
MOST = 1600
LEAST = 300
"""A lighter remainder is merged into the preceding chunk."""
_ANNOUNCING = (":", "：", "?", "？")
_LINES = ("list", "table", "code")
_HEADING_ROWS_SHARE = 0.4
_MOST_HEADING_ROWS = 4
_DIGIT = re.compile(r"\d")
_CUT = re.compile(r"[，、；,;]\s*|\s+")


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece, or part of one, that is never divided between chunks."""

    kind: str
    text: str
    spans: tuple[Span, ...]
    section: tuple[str, ...]
    major: bool = False
    lead: str = "\n\n"
    """Separator from the preceding part of the same chunk."""


def chunk_pieces(document_id: str, pieces: Sequence[TextPiece]) -> list[Chunk]:
    """Hidden text comes last, in chunks that are disabled until the user enables them."""
    seen = _grouped_pieces([piece for piece in pieces if piece.kind != HIDDEN])
    hidden = _grouped_pieces([piece for piece in pieces if piece.kind == HIDDEN])
    chunks = [_chunk(document_id, index, group) for index, group in enumerate([*seen, *hidden])]
    return [chunk if chunk.index < len(seen) else replace(chunk, enabled=False) for chunk in chunks]


def _grouped_pieces(pieces: Sequence[TextPiece]) -> list[list[_Part]]:
    return list(_merged(_packed([part for piece in pieces for part in _parts(piece)])))


def _packed(parts: list[_Part]) -> Iterator[list[_Part]]:
    """Groups of parts; headings, captions, questions and "the following:" stay with what follows them."""
    group: list[_Part] = []
    waiting: list[_Part] = []
    for part in parts:
        if _begins_group(part, group, waiting):
            yield group + [held for held in waiting if held.kind != "heading"]
            group, waiting = [], [*(held for held in waiting if held.kind == "heading"), part]
        elif _announces(part) and _weigh(waiting) < LIMIT:
            waiting.append(part)
        else:
            held = [*waiting, part]
            if _weigh(group) >= LEAST and _weigh(group) + _weigh(held) > LIMIT:
                yield group
                group = []
            group, waiting = group + held, []
    if group or waiting:
        yield group + waiting


def _announces(part: _Part) -> bool:
    return part.kind in ("heading", "caption") or (part.kind == "text" and part.text.endswith(_ANNOUNCING))


def _begins_group(part: _Part, group: list[_Part], waiting: list[_Part]) -> bool:
    """A major heading, and any other as soon as the group is half full."""
    if part.kind != "heading" or not group:
        return False
    return part.major or (not waiting and _weigh(group) >= TARGET // 2)


def _merged(groups: Iterator[list[_Part]]) -> list[list[_Part]]:
    """Merges a section's light remainder into the preceding chunk."""
    merged: list[list[_Part]] = []
    for group in groups:
        light = merged and _weigh(group) < LEAST and not any(part.major for part in group)
        same = light and merged[-1][-1].section == group[-1].section
        if same and _weigh(merged[-1]) + _weigh(group) <= MOST:
            merged[-1] += group
        else:
            merged.append(group)
    return merged


def _weigh(parts: Sequence[_Part]) -> int:
    return sum(weight(part.text) + len(part.lead) for part in parts)


def _chunk(document_id: str, index: int, parts: list[_Part]) -> Chunk:
    text = ""
    spans: list[Span] = []
    for part in parts:
        text += part.lead if text else ""
        spans += _moved(part.spans, len(text))
        text += part.text
    content = [part.section for part in parts if part.kind != "heading"] or [parts[-1].section]
    return Chunk(
        content_id("chunk", document_id, str(index), text), document_id, index, text, _common(content), fused(spans)
    )


def _common(sections: list[tuple[str, ...]]) -> tuple[str, ...]:
    """The heading path common to all parts."""
    shortest = min(sections, key=len)
    depth = next((d for d, name in enumerate(shortest) if any(other[d] != name for other in sections)), len(shortest))
    return shortest[:depth]


def fused(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Merges neighbouring spans of the same block, with up to two characters between them."""
    found: list[Span] = []
    for span in spans:
        if found and found[-1].block == span.block and span.start - found[-1].end <= 2:
            found[-1] = replace(found[-1], end=max(found[-1].end, span.end))
        else:
            found.append(span)
    return tuple(found)


def _parts(piece: TextPiece) -> Iterator[_Part]:
    if weight(piece.text) <= (MOST if piece.kind == "list" else LIMIT):
        yield _Part(piece.kind, piece.text, piece.spans, piece.section, piece.major)
    elif piece.kind == "table":
        yield from _table_parts(piece)
    else:
        ranges = _line_ranges(piece.text) if piece.kind in _LINES else list(sentence_spans(piece.text))
        for number, (start, end) in enumerate(_grouped(piece.text, ranges)):
            lead = ("\n" if piece.kind in _LINES else " ") if number else "\n\n"
            yield _cut_out(piece, start, end, lead)


def _cut_out(piece: TextPiece, start: int, end: int, lead: str) -> _Part:
    inside = (replace(s, start=max(s.start, start), end=min(s.end, end)) for s in piece.spans)
    spans = _moved([span for span in inside if span.start < span.end], -start)
    return _Part(piece.kind, piece.text[start:end], tuple(spans), piece.section, piece.major and start == 0, lead)


def _moved(spans: Sequence[Span], offset: int) -> list[Span]:
    return [replace(span, start=span.start + offset, end=span.end + offset) for span in spans]


def _grouped(text: str, ranges: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Joins neighbouring ranges into groups of about equal weight."""
    whole = weight(text)
    share = 1.1 * whole / math.ceil(whole / LIMIT)
    pieces = [piece for found in ranges for piece in _bounded(text, *found)]
    return _filled(text, pieces, min(LIMIT, round(share)))


def _bounded(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Splits a sentence or line longer than a chunk after commas, else after blanks, else anywhere."""
    while end - start > LIMIT or weight(text[start:end]) > LIMIT:
        reach = _reach(text, start, end)
        cuts = [match.end() for match in _CUT.finditer(text, start + (reach - start) // 2, reach)]
        cut = cuts[-1] if cuts else reach
        yield start, cut
        start = cut
    if start < end:
        yield start, end


def _reach(text: str, start: int, end: int) -> int:
    """End of the longest range that weighs at most TARGET."""
    reach = min(end, start + TARGET)
    while weight(text[start:reach]) > TARGET:
        reach = start + (reach - start) * 9 // 10
    return max(reach, start + 1)


def _line_ranges(text: str) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    start = 0
    for line in text.split("\n"):
        if line.strip():
            ranges.append((start, start + len(line)))
        start += len(line) + 1
    return ranges


def _table_parts(piece: TextPiece) -> Iterator[_Part]:
    """Splits a table between rows; every part begins with the heading rows."""
    lines = _line_ranges(piece.text)
    heading = _heading_rows(piece.text, lines)
    head = piece.text[: lines[heading - 1][1]] + "\n" if heading else ""
    rows = [row for line in lines[heading:] for row in _bounded(piece.text, *line)]
    for number, (start, end) in enumerate(_filled(piece.text, rows, LIMIT - weight(head))):
        text = head + piece.text[start:end]
        spans = (replace(piece.spans[0], start=0, end=len(text)),)
        yield _Part(piece.kind, text, spans, piece.section, lead="\n" if number else "\n\n")


def _filled(text: str, ranges: list[tuple[int, int]], room: int) -> Iterator[tuple[int, int]]:
    """Joins neighbouring ranges as long as they weigh at most `room`."""
    start = end = -1
    for left, right in ranges:
        if start >= 0 and weight(text[start:right]) > room:
            yield start, end
            start = -1
        start, end = left if start < 0 else start, right
    if start >= 0:
        yield start, end


def _heading_rows(text: str, lines: list[tuple[int, int]]) -> int:
    """Titles across all columns and the row below them, or all rows above the first that holds figures.

    None where they would fill the chunk.
    """
    rows = [text[slice(*line)].split(CELL_BREAK) for line in lines[: _MOST_HEADING_ROWS + 1]]
    titles = next((place for place, row in enumerate(rows) if len(set(row)) > 1), 0)
    figures = next((place for place, row in enumerate(rows[titles:], titles) if _DIGIT.search("".join(row))), 0)
    count = min(max(titles + 1, figures), len(lines) - 1)
    return count if count and weight(text[: lines[count - 1][1]]) <= _HEADING_ROWS_SHARE * LIMIT else 0
