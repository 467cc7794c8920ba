"""Rows of an HTML table as text: spanned cells repeated, nested markup flattened. The markup is untrusted."""

import re
from collections.abc import Iterator
from html.parser import HTMLParser

from core.documents.model import CELL_BREAK
from core.documents.reading.normalise import one_line, weight

_MAX_SPAN = 200
"""A cell that spans more rows or columns is damaged or an attack."""
_MAX_CELLS = 500_000
_NOTE_WEIGHT = 60
_COLUMN_GAP = re.compile(r"[ \t]{2,}")
_LATEX_BODY = re.compile(r"\\begin\{(tabular[xy*]?|array)\}(.*?)(?:\\end\{\1\}|\Z)", re.DOTALL)
_LATEX_COLUMNS = re.compile(r"\A\s*(?:\[[^\]]*\]\s*)?(?:\{(?:[^{}]|\{[^{}]*\}){0,500}\}\s*){1,2}")
_LATEX_RULES = re.compile(r"\\(?:hline|toprule|midrule|bottomrule|c(?:mid|line)(?:rule)?(?:\([^()]*\))?\{[^{}]*\})")
_LATEX_CELL = re.compile(r"(?<!\\)&")
_LATEX_SPAN = re.compile(r"\s*\\multi(column|row)\s*\{\s*(\d{1,3})\s*\}\s*\{[^{}]*\}\s*\{(.*)\}\s*\Z", re.DOTALL)
_LATEX_WRAP = re.compile(r"\\(?:textbf|textit|emph|text|mathrm|mathbf|underline|makecell)\s*\{([^{}]*)\}")
_LATEX_ESCAPE = re.compile(r"\\([&%$#_{}])")
_BREAKS = {"p", "br", "li", "div", "tr", "td", "th"}


def table_rows(html: str) -> list[list[str]]:
    """Cells of every row; a spanning cell is repeated in each row and column. Nested tables become text."""
    reader = _TableReader()
    reader.feed(html)
    reader.close()
    reader.end_cell()
    return [row for row in _spread(reader.rows) if any(row)]


def latex_rows(markup: str) -> list[list[str]]:
    """Cells of every row of LaTeX tabulars, as old parsers write them; spanning cells are repeated."""
    rows: list[list[tuple[str, int, int]]] = []
    for body in _LATEX_BODY.finditer(markup):
        text = _LATEX_RULES.sub(" ", _LATEX_COLUMNS.sub("", body[2], count=1))
        rows += [[_latex_cell(cell) for cell in _LATEX_CELL.split(line)] for line in text.split("\\\\") if line.strip()]
    return [row for row in _spread(_without_covered(rows)) if any(row)]


def _latex_cell(raw: str) -> tuple[str, int, int]:
    """(text, rows, columns) of a cell; spans may be inside one another."""
    down = across = 1
    while found := _LATEX_SPAN.match(raw):
        raw, span = found[3], _span(found[2])
        down, across = (down, span) if found[1] == "column" else (span, across)
    text = _LATEX_ESCAPE.sub(r"\1", _LATEX_WRAP.sub(r"\1", raw))
    return one_line(text).replace(CELL_BREAK, " / "), down, across


def _without_covered(rows: list[list[tuple[str, int, int]]]) -> list[list[tuple[str, int, int]]]:
    """Drops the empty cells that LaTeX, unlike HTML, writes below a cell that spans rows."""
    covered: dict[int, int] = {}
    kept_rows = []
    for row in rows:
        column, kept = 0, []
        for text, down, across in row:
            if covered.get(column, 0) > 0 and not text:
                covered[column] -= 1
            else:
                kept.append((text, down, across))
                covered.update(dict.fromkeys(range(column, column + across), down - 1))
            column += across
        kept_rows.append(kept)
    return kept_rows


def spaced_rows(text: str) -> list[list[str]]:
    """Cells of a table whose columns are separated by runs of blanks."""
    return [[one_line(cell) for cell in _COLUMN_GAP.split(line.strip())] for line in text.splitlines() if line.strip()]


def rows_text(rows: list[list[str]]) -> str:
    """Rows as lines of cells joined by CELL_BREAK; a note that spans the table is written once."""
    return "\n".join(
        row[0] if len(set(row)) == 1 and weight(row[0]) > _NOTE_WEIGHT else CELL_BREAK.join(row) for row in rows
    )


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
            self.rows[-1].append((one_line("".join(self.cell)).replace(CELL_BREAK, " / "), *self.spans))
            self.cell = None


def _span(value: str | None) -> int:
    return min(int(value), _MAX_SPAN) or 1 if value and value.isascii() and value.isdigit() else 1


def _spread(rows: list[list[tuple[str, int, int]]]) -> Iterator[list[str]]:
    """Rows of plain cells, spans repeated; stops after _MAX_CELLS."""
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
    """Appends the cells that span down into this row at its current column."""
    while len(line) in pending:
        text, left = pending.pop(len(line))
        if left > 1:
            pending[len(line)] = (text, left - 1)
        line.append(text)
