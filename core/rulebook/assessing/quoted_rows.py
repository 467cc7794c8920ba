"""Quoted table rows: the cell that answers, the row as a small table; quoted steps on lines of their own."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import pairwise

from core.documents.model import CELL_BREAK
from core.platform.language.answer_marks import QUOTED
from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN_CHARACTER
from core.rulebook.assessing.quotable_spans import readable, row_line, table_row
from core.search.model import Citation, TableRow

_PUNCTUATION = pattern(r"([!-/:-@\[-`{-~])")
_QUOTE = pattern(r"“([^“”\n]+)” \[(\d+)\]")
_BULLET = "- "
_STEP = pattern(r"(?<=[.!?:;。！？：；]) (\d{1,2})\.(?= \S)")
FEWEST_STEPS = 2
MOST_CELLS = 12
"""Wider rows are shown as a line."""


def row_of(text: str, span: tuple[int, int], claims: Sequence[str]) -> TableRow | None:
    """The row of the chunk's text at span; marked is the cell that the claims state apart from the quote."""
    found = table_row(text, *span)
    if found is None or not 1 < len(found[1]) <= MOST_CELLS:
        return None
    columns, cells = (tuple(map(readable, part)) for part in found)
    told = " ".join(QUOTED.sub(" ", claim) for claim in claims)
    named = [at for at, cell in enumerate(cells) if at and cell and _stands_in(cell, told)]
    return TableRow(columns, cells, named[0] if len(named) == 1 else None)


def with_tables(answer: str, citations: Sequence[Citation]) -> str:
    """The answer's Markdown with a quoted row as a small table below its line, the marked cell in bold.

    Of several rows with one number each stays in its line, without quotation marks. Quoted steps get a line each.
    """
    rows = {citation.number: citation.row for citation in citations if citation.row}
    cited = {citation.number: _cells_of(citation.text) for citation in citations if not citation.row}
    laid_out = (_with_bare_row(_with_table(_with_steps(line), rows), cited) for line in answer.split("\n"))
    return "\n".join(_QUOTE.sub(partial(_as_said, cited), line) for line in laid_out)


def _cells_of(text: str) -> list[set[str]]:
    return [set(piece.split(CELL_BREAK)) for piece in text.split(" … ") if CELL_BREAK in piece]


def _as_said(cited: Mapping[int, Sequence[set[str]]], quote: re.Match[str]) -> str:
    """The quote; a row, whose names of columns and marks no document has like this, without quotation marks."""
    row, number = quote.groups()
    values = {part.rpartition(": ")[2] for part in row.split("; ")}
    if not any(values <= cells for cells in cited.get(int(number), ())):
        return quote.group()
    words = row.replace(": ", "：").replace("; ", "；") if HAN_CHARACTER.search(row) else row
    return f"{words} [{number}]"


def _with_steps(line: str) -> str:
    """Puts quoted steps with consecutive numbers on lines of their own."""
    quoted = QUOTED.search(line)
    steps = [int(step) for step in _STEP.findall(quoted[1])] if quoted else []
    if len(steps) < FEWEST_STEPS or any(after != step + 1 for step, after in pairwise(steps)):
        return line
    return _STEP.sub(lambda step: f"  \n{step[1]}\\.", line)


def _with_table(line: str, rows: dict[int, TableRow]) -> str:
    for number, row in rows.items():
        head, quote, rest = line.partition(f"“{row_line(row.cells, row.columns)}” [{number}]")
        if quote and not rest.strip():
            return _tabled(head, number, row)
    return line


def _with_bare_row(line: str, cited: Mapping[int, Sequence[set[str]]]) -> str:
    """The line with a quoted row whose columns have no names as a table without a header."""
    quote = _QUOTE.search(line)
    cells = tuple(quote[1].split(CELL_BREAK)) if quote and not line[quote.end() :].strip() else ()
    if not quote or len(cells) < 2 or not any(set(cells) <= row for row in cited.get(int(quote[2]), ())):
        return line
    return _tabled(line[: quote.start()], int(quote[2]), TableRow(("",) * len(cells), cells))


def _tabled(head: str, number: int, row: TableRow) -> str:
    indent = "  " if head.startswith(_BULLET) else ""
    table = "\n".join(f"{indent}{row_markdown}" for row_markdown in _markdown(row))
    return f"{head.rstrip(' :：')} [{number}]\n\n{table}\n"


def _markdown(row: TableRow) -> list[str]:
    cells = [f"**{_cell(cell)}**" if at == row.marked else _cell(cell) for at, cell in enumerate(row.cells)]
    heads = map(_cell, row.columns)
    return [f"| {' | '.join(heads)} |", "|" + " --- |" * len(row.columns), f"| {' | '.join(cells)} |"]


def _cell(text: str) -> str:
    """The text with Markdown escaped."""
    return _PUNCTUATION.sub(r"\\\1", text)


def _stands_in(cell: str, told: str) -> bool:
    return re.search(rf"(?<![0-9A-Za-z.]){re.escape(cell)}(?![0-9A-Za-z])", told, re.IGNORECASE) is not None
