"""The unlocking child process: `python -m ...pdf.unlock_process PDF NAME TARGET`; answers one line of JSON.

The password comes as a line of JSON on standard input, never as an argument: {"password"}. The answer is
{"unlocked": true}, or {"error", "params"}.
"""

import json
import re
import sys
from collections.abc import Sequence
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import Any

from core.documents.reading.decrypted import MARK
from core.platform.errors import AppError, InputError
from core.platform.processes.isolated_process import die_with_parent, limit_process, lower_priority, open_channel, tell

_MEMORY_BYTES = 2_000_000_000
_CPU_SECONDS = 120
_PASSWORD_ERROR = 4
_IDENTIFIER = re.compile(rb"/ID\s*\[\s*<([0-9A-Fa-f]{32})>\s*<([0-9A-Fa-f]{32})>")


def main(arguments: Sequence[str]) -> int:
    path, name, target = arguments
    channel = open_channel()
    limit_process(_MEMORY_BYTES, _CPU_SECONDS)
    lower_priority(5)
    password = str(json.loads(sys.stdin.readline())["password"])
    die_with_parent()
    try:
        _unlock(Path(path), name, password, Path(target))
    except AppError as error:
        tell(channel, error=error.key, params=error.params)
        return 0
    tell(channel, unlocked=True)
    return 0


def _unlock(path: Path, name: str, password: str, target: Path) -> None:
    pdfium = _pdfium()
    try:
        document = pdfium.PdfDocument(path, password=password)
    except pdfium.PdfiumError as error:
        wrong = getattr(error, "err_code", None) == _PASSWORD_ERROR
        raise InputError("ingest.error.password" if wrong else "ingest.error.damaged", name=name) from error
    saved = BytesIO()
    with closing(document):
        document.save(saved, flags=pdfium.raw.FPDF_REMOVE_SECURITY)
    target.write_bytes(_same_each_time(saved.getvalue()) + MARK)


def _pdfium() -> Any:
    """The binding has no types."""
    import pypdfium2
    import pypdfium2.raw

    return pypdfium2


def _same_each_time(content: bytes) -> bytes:
    """The second half of a PDF's identifier is drawn by lot; the same file is to be the same copy again."""
    found = list(_IDENTIFIER.finditer(content))
    if not found:
        return content
    first, second = found[-1].span(1), found[-1].span(2)
    return content[: second[0]] + content[slice(*first)] + content[second[1] :]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
