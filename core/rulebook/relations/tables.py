"""Relations that rows of a table and lists of subsidiaries state."""

import re
from collections.abc import Iterator, Sequence

from core.documents.model import CELL_BREAK
from core.graph.model import ExtractedName
from core.rulebook.relations.said import Said

_HEADING = re.compile(r"\bsubsidiaries of\b", re.IGNORECASE)
_MOSTLY = 0.6
"""Least share of the characters of a cell that its name takes."""
_LONGEST_HEADER = 40
Interval = tuple[int, int]


def said_in_rows(text: str, entities: Sequence[ExtractedName]) -> Iterator[tuple[Interval, Said]]:
    """In "Name | Registered in" each row says where its first name is registered; with the row that says it."""
    headers: list[str] = []
    parent: ExtractedName | None = None
    at = 0
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        if CELL_BREAK not in line:
            headers = []
            parent = _parent(line, start, entities) or (parent if not line.strip() else None)
            continue
        cells = list(_cells(line, start))
        if len(headers) != len(cells):
            headers = [text[slice(*cell)].strip() for cell in cells]
            continue
        names = [_name(cell, entities) for cell in cells]
        if names[0] is not None:
            yield from (((start, at), said) for said in _of_row(names[0], names, headers, parent))


def _of_row(
    first: ExtractedName, names: Sequence[ExtractedName | None], headers: Sequence[str], parent: ExtractedName | None
) -> Iterator[Said]:
    for name, header in zip(names[1:], headers[1:], strict=True):
        if name is not None and name.name != first.name and 0 < len(header) <= _LONGEST_HEADER:
            yield Said(first, header.lower(), name, 0.75, "row")
    if parent is not None and parent.name != first.name:
        yield Said(first, "subsidiary of", parent, 0.85, "list")


def _parent(line: str, start: int, entities: Sequence[ExtractedName]) -> ExtractedName | None:
    """The company whose subsidiaries a list has by its heading."""
    heading = _HEADING.search(line)
    after = start + heading.end() if heading else start + len(line)
    return next((each for each in entities if after <= each.start < start + len(line)), None)


def _cells(line: str, start: int) -> Iterator[Interval]:
    at = start
    for cell in line.split(CELL_BREAK):
        yield at, at + len(cell)
        at += len(cell) + len(CELL_BREAK)


def _name(cell: Interval, entities: Sequence[ExtractedName]) -> ExtractedName | None:
    """The name that makes up most of a cell."""
    start, end = cell
    inside = [each for each in entities if start <= each.start and each.end <= end]
    return inside[0] if inside and inside[0].end - inside[0].start >= _MOSTLY * (end - start) else None
