"""Relations that rows, lists and lines state without a verb: "Headquarters: Oslo" below a name."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from core.documents.model import CELL_BREAK
from core.graph.model import ORGANIZATION, PERSON, ExtractedName
from core.platform.language.stretches import Interval
from core.rulebook.entities.lexicon import words
from core.rulebook.relations.said import Said
from core.rulebook.relations.subjects import MOSTLY, TextSubjects

_HEADING = re.compile(r"\bsubsidiaries of\b", re.IGNORECASE)
_LONGEST_HEADER = 40


@dataclass(slots=True)
class _Table:
    headers: Sequence[str]
    parent: ExtractedName | None
    rows: list[tuple[Interval, Sequence[ExtractedName | None]]] = field(default_factory=list)
    """Each with the names of its cells."""

    def said(self) -> Iterator[tuple[Interval, Said]]:
        """Its columns tell of the first one, unless they name several parties, whose attributes nothing tells apart."""
        parties = sum(map(_names_parties, zip(*(names for _, names in self.rows), strict=True)))
        headers = self.headers if parties <= 1 else ()
        for row, names in self.rows:
            if names[0] is not None:
                yield from ((row, said) for said in _of_row(names[0], names[1:], headers[1:], self.parent))


def said_in_rows(text: str, entities: Sequence[ExtractedName]) -> Iterator[tuple[Interval, Said]]:
    """In "Name | Registered in" each row says where its first name is registered; with the row that says it."""
    for table in _tables(text, entities):
        yield from table.said()


def _tables(text: str, entities: Sequence[ExtractedName]) -> Iterator[_Table]:
    table: _Table | None = None
    parent: ExtractedName | None = None
    at = 0
    for line in text.splitlines(keepends=True):
        start, at = at, at + len(line)
        cells = list(_cells(line, start)) if CELL_BREAK in line else []
        if table and len(table.headers) == len(cells):
            table.rows.append(((start, at), [_name(cell, entities) for cell in cells]))
            continue
        if table:
            yield table
        table = _Table([text[slice(*cell)].strip() for cell in cells], parent) if cells else None
        if not cells:
            parent = _parent(line, start, entities) or (parent if not line.strip() else None)
    if table:
        yield table


def _names_parties(column: Sequence[ExtractedName | None]) -> bool:
    """Whether the column names persons or organizations for the most part."""
    types = [name.type for name in column if name]
    return sum(each in (PERSON, ORGANIZATION) for each in types) * 2 > len(types)


def _of_row(
    first: ExtractedName, names: Sequence[ExtractedName | None], headers: Sequence[str], parent: ExtractedName | None
) -> Iterator[Said]:
    for name, header in zip(names, headers, strict=False):
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
    return inside[0] if inside and inside[0].end - inside[0].start >= MOSTLY * (end - start) else None


_PAIR = re.compile(r"^[^\w\n]*(?P<key>[^\W\d_][^:：|\n]{0,38}?)\s*[:：|]\s*(?P<value>[^:：|\n]+?)[\s|]*$", re.MULTILINE)
"""A key and its value in a line of their own, or in the cells of a table with two columns."""
_BEHIND_MEMBER = re.compile(r"\s*[,，(（–—]\s*(?:(?P<title>[^\W\d][^,，;；:.()（）\n]{0,60}?)[,，]\s*)?")
_BEFORE_MEMBER, _BEHIND_BODY = re.compile(r"(?:^|[;；:：\n])[^\w\n]*$"), re.compile(r"[)）]?\s*(?:[;；\n]|$)")


def said_in_lines(text: str, names: Sequence[ExtractedName], context: TextSubjects) -> Iterator[tuple[Interval, Said]]:
    for line in _PAIR.finditer(text):
        if subject := context.described(line.start()):
            said = (Said(subject, line["key"].lower(), each, 0.7, "key") for each in _values(line, names))
            yield from ((line.span(), each) for each in said if each.target.name != subject.name)
    for member, body in pairwise(names):
        if (member.type, body.type) == (PERSON, ORGANIZATION) and (between := _listed(text, member, body)):
            title = f"{between['title'].lower()} of" if between["title"] else "of"
            yield (member.start, body.end), Said(member, title, body, 0.7, "list")


def _values(line: re.Match[str], names: Sequence[ExtractedName]) -> list[ExtractedName]:
    """The names of which the value mostly consists; none where the key has one, too."""
    inside = [each for each in names if line.start() <= each.start and each.end <= line.end()]
    is_value = sum(each.end - each.start for each in inside) >= MOSTLY * len(line["value"])
    return inside if is_value and all(each.start >= line.start("value") for each in inside) else []


def _listed(text: str, member: ExtractedName, body: ExtractedName) -> re.Match[str] | None:
    """What stands between a person and an organization that are an entry of a list: nothing, or a title."""
    is_entry = _BEFORE_MEMBER.search(text[: member.start]) and _BEHIND_BODY.match(text, body.end)
    between = _BEHIND_MEMBER.fullmatch(text, member.end, body.start) if is_entry else None
    return between if between and (not between["title"] or _is_title(between["title"])) else None


def _is_title(said: str) -> bool:
    return said.lower().split()[-1] in words("roles") | words("zh_titles")
