"""Rows of an HTML table as text: spanned cells repeated, nested markup flattened. The markup is untrusted."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from core.ingest.normalise import one_line, weight

_MAX_SPAN = 200
"""More columns or rows than this in one cell is damage or an attack, not a table."""
_MAX_CELLS = 500_000
_NOTE_WEIGHT = 60
_COLUMN_GAP = re.compile(r"[ \t]{2,}")
_BREAKS = {"p", "br", "li", "div", "tr", "td", "th"}


def table_rows(html: str) -> list[list[str]]:
    """Cells of every row; a cell that spans rows or columns stands in each of them. Nested tables become text."""
    reader = _TableReader()
    reader.feed(html)
    reader.close()
    reader.end_cell()
    return [row for row in _spread(reader.rows) if any(row)]


def spaced_rows(text: str) -> list[list[str]]:
    """Cells of a table that is set in columns of blanks."""
    return [[one_line(cell) for cell in _COLUMN_GAP.split(line.strip())] for line in text.splitlines() if line.strip()]


def rows_text(rows: list[list[str]]) -> str:
    """Cells joined by ` | `, a row a line; a note that spans the whole table stands once."""
    return "\n".join(row[0] if _is_note(row) else " | ".join(row) for row in rows)


def _is_note(row: list[str]) -> bool:
    return len(set(row)) == 1 and weight(row[0]) > _NOTE_WEIGHT


class _TableReader(HTMLParser):
    """Collects (text, rowspan, colspan) of the outermost table's cells."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.rows: list[list[tuple[str, int, int]]] = []
        self.depth = 0
        self.cell: list[str] | None = None
        self.spans = (1, 1)
        self.hidden = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.depth += 1
        elif self.depth == 1 and tag == "tr":
            self.end_cell()
            self.rows.append([])
        elif self.depth == 1 and tag in ("td", "th"):
            self.end_cell()
            self.cell = []
            values = dict(attrs)
            self.spans = (_span(values.get("rowspan")), _span(values.get("colspan")))
        self.hidden = tag in ("script", "style")
        if self.cell is not None and tag in _BREAKS:
            self.cell.append("\n")

    def handle_endtag(self, tag: str) -> None:
        self.hidden = False
        if tag == "table":
            if self.depth == 1:
                self.end_cell()
            self.depth = max(0, self.depth - 1)
        elif self.depth == 1 and tag in ("td", "th", "tr"):
            self.end_cell()
        elif self.cell is not None and tag in _BREAKS:
            self.cell.append("\n")

    def handle_data(self, data: str) -> None:
        if self.cell is not None and not self.hidden:
            self.cell.append(data)

    def end_cell(self) -> None:
        if self.cell is not None:
            if not self.rows:
                self.rows.append([])
            self.rows[-1].append((one_line("".join(self.cell)).replace(" | ", " / "), *self.spans))
            self.cell = None


def _span(value: str | None) -> int:
    return min(int(value), _MAX_SPAN) or 1 if value and value.isascii() and value.isdigit() else 1


def _spread(rows: list[list[tuple[str, int, int]]]) -> Iterator[list[str]]:
    """Rows of plain cells, spans repeated; stops where a table claims to be larger than any real one."""
    pending: dict[int, tuple[str, int]] = {}
    cells = 0
    for row in rows:
        line: list[str] = []
        for text, down, across in row:
            _take_pending(line, pending)
            for _ in range(across):
                if down > 1:
                    pending[len(line)] = (text, down - 1)
                line.append(text)
        while later := [column for column in pending if column >= len(line)]:
            line += [""] * (min(later) - len(line))
            _take_pending(line, pending)
        cells += len(line)
        if cells > _MAX_CELLS:
            return
        yield line


def _take_pending(line: list[str], pending: dict[int, tuple[str, int]]) -> None:
    """Append the cells that reach down into this row at its current column."""
    while len(line) in pending:
        text, left = pending.pop(len(line))
        if left > 1:
            pending[len(line)] = (text, left - 1)
        line.append(text)
