"""CSV files and spreadsheets as table blocks; every block begins with the header."""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence

from core.documents.model import CELL_BREAK, Block
from core.documents.reading.normalise import one_line, weight
from core.documents.reading.plain_text import decode
from core.documents.reading.tables import rows_text
from core.platform.errors import InputError

MAX_ROWS = 200_000
MAX_CELLS = 500_000
DELIMITERS = {"csv": ",", "tsv": "\t"}
"""By file suffix, if none is detected."""
ROWS_A_BLOCK = 200
REPEATABLE = 400
"""A heavier header is not repeated; its names are written before the values instead."""
_POSSIBLE = ",;\t|"
_SAMPLE = 20_000
_LONGEST_CELL = 1_000_000


def csv_blocks(data: bytes, delimiter: str, name: str) -> list[Block]:
    """Blocks on page 0, without boxes. delimiter: the default if none is detected. Raises InputError when it has
    more rows or cells than a document can hold."""
    text = decode(data)
    rows = _rows(io.StringIO(text, newline=""), _delimiter(text[:_SAMPLE], delimiter), name)
    cleaned = [[one_line(cell).replace(CELL_BREAK, " / ") for cell in row] for row in rows]
    return sheet_blocks([row for row in cleaned if any(row)])


def check_csv(lines: Iterable[str], sample: str, delimiter: str, name: str) -> None:
    """Raises InputError as csv_blocks() does. lines: with their ends; sample: the text's beginning."""
    for _ in _rows(lines, _delimiter(sample[:_SAMPLE], delimiter), name):
        pass


def sheet_blocks(rows: Sequence[Sequence[str]]) -> list[Block]:
    """The first row is taken for the header, even if it is the only one."""
    if not rows:
        return []
    header, body = list(rows[0]), [list(row) for row in rows[1:]]
    if not body:
        return [Block(0, 0, "table", rows_text([header]))]
    parts = [body[start : start + ROWS_A_BLOCK] for start in range(0, len(body), ROWS_A_BLOCK)]
    return [Block(number, 0, "table", _text(header, part)) for number, part in enumerate(parts)]


def labelled(text: str) -> str:
    """Text of a table whose header is too long to repeat: names are written before the values."""
    header, *body = [line.split(CELL_BREAK) for line in text.split("\n")]
    return _text(header, body) if body else text


def check_cells(rows: int, cells: int, name: str) -> None:
    if rows > MAX_ROWS or cells > MAX_CELLS:
        raise InputError("ingest.error.too_many_rows", name=name, rows=f"{MAX_ROWS:,}", cells=f"{MAX_CELLS:,}")


def _text(header: list[str], body: Iterable[list[str]]) -> str:
    if weight(CELL_BREAK.join(header)) <= REPEATABLE:
        return "\n".join([CELL_BREAK.join(header), *(CELL_BREAK.join(row) for row in body)])
    return "\n".join(CELL_BREAK.join(_named(header, row)) for row in body)


def _named(header: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    for place, value in enumerate(row):
        name = header[place] if place < len(header) else ""
        if value:
            yield f"{name}: {value}" if name else value


def _rows(lines: Iterable[str], delimiter: str, name: str) -> Iterator[list[str]]:
    csv.field_size_limit(_LONGEST_CELL)
    cells = 0
    try:
        for number, row in enumerate(csv.reader(lines, delimiter=delimiter), 1):
            cells += len(row)
            check_cells(number, cells, name)
            yield row
    except csv.Error as error:
        raise InputError("ingest.error.damaged", name=name) from error


def _delimiter(sample: str, usual: str) -> str:
    """Delimiter of the first lines, detected by csv.Sniffer among the usual ones."""
    first = sample.lstrip().split("\n", 1)[0]
    if not any(sign in first for sign in _POSSIBLE):
        return usual
    try:
        found = csv.Sniffer().sniff(sample, _POSSIBLE).delimiter
    except csv.Error:
        return max(_POSSIBLE, key=first.count)
    return found if found in first else usual
