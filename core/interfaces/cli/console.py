"""Output of commands: results on standard output, progress and errors on standard error; their exit status."""

import json
import sys
from collections.abc import Sequence

from core.documents.model import page_number
from core.platform.plain_text import storable

DEGRADED = 3
"""Exit status of a command for which a model failed and rules did some or all of its work."""


def say(line: str = "") -> None:
    """Names of files may hold bytes that are no text."""
    sys.stdout.write(f"{storable(line)}\n")


def say_json(value: object) -> None:
    say(json.dumps(value, ensure_ascii=False, indent=2))


def note(line: str) -> None:
    """Prints progress or an error to standard error."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def progress(line: str) -> None:
    """Prints a line to standard error if it is a terminal."""
    if sys.stderr.isatty():
        note(line)


def place(document_name: str, page: int) -> str:
    """page: from 1; omitted if the document has no page numbers."""
    return f"{document_name}, page {page}" if page_number(document_name, page - 1) else document_name


def counted(number: int, noun: str) -> str:
    """The number with the noun, which gets an s unless there is one."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Columns as wide as their longest cell; numbers to the right."""
    cells = [list(header), *[[f"{c:.3f}" if isinstance(c, float) else str(c) for c in row] for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    numeric = [all(isinstance(row[i], int | float) for row in rows) and bool(rows) for i in range(len(header))]
    for row in cells:
        padded = (c.rjust(w) if n else c.ljust(w) for c, w, n in zip(row, widths, numeric, strict=True))
        say("  ".join(padded).rstrip())
