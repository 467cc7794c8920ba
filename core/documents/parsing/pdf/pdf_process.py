"""Child process that works on one PDF: `python -m core.documents.parsing.pdf.pdf_process TASK PDF NAME ...`.

It answers one line of JSON:
measure PDF NAME: {"pages", "characters", "wide_share", "scanned", "pictures"}, by a sample of the pages;
split PDF NAME MOST FOLDER: {"parts": [[file, first page, pages], ...]}, the PDF itself if it is short enough;
unlock PDF NAME TARGET, with {"password"} as a line of standard input: {"unlocked": true}.
Each may answer {"error", "params"} instead.
"""

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from io import BytesIO
from pathlib import Path
from typing import Any

from core.documents.estimating.text_size import extent_of_text
from core.documents.parsing.pdf.text_layer import (
    PASSWORD_ERROR,
    open_pdf,
    page_facts,
    page_text,
    pdfium_library,
    readable_pictures,
)
from core.documents.reading.inspection import MARK, check_pages
from core.platform.errors import AppError, InputError
from core.platform.processes.isolated_process import die_with_parent, limit_process, lower_priority, open_channel, tell

_PAGES_SAMPLED = 12
_IDENTIFIER = re.compile(rb"/ID\s*\[\s*<([0-9A-Fa-f]{32})>\s*<([0-9A-Fa-f]{32})>")


def main(arguments: Sequence[str]) -> int:
    task, *given = arguments
    memory_bytes, cpu_seconds, work = _TASKS[task]
    channel = open_channel()
    limit_process(memory_bytes, cpu_seconds)
    lower_priority()
    if task == "unlock":
        given.append(str(json.loads(sys.stdin.readline())["password"]))
    die_with_parent()
    try:
        answer = work(*given)
    except AppError as error:
        answer = {"error": error.key, "params": error.params}
    tell(channel, **answer)
    return 0


def _measured(path: str, name: str) -> Mapping[str, object]:
    with closing(open_pdf(Path(path), name)) as document:
        pages = len(document)
        check_pages(pages, name)
        step = max(1, pages // _PAGES_SAMPLED)
        sampled = list(range(step // 2, pages, step))
        text = "".join(page_text(document, number) for number in sampled)
        read = [number for number in sampled if page_facts(document, number).needs_reading]
        pictures = sum(_pictures(document, number) for number in sampled if number not in read)
    share = pages / len(sampled)
    extent = extent_of_text("".join(text.split()), share, pages)
    return asdict(replace(extent, scanned=round(len(read) * share), pictures=round(pictures * share)))


def _pictures(document: Any, number: int) -> int:
    """Pictures on the page that OCR will read."""
    with closing(document[number]) as page:
        return len(readable_pictures(page))


def _split(path: str, name: str, most: str, folder: str) -> Mapping[str, object]:
    with closing(open_pdf(Path(path), name)) as document:
        pages, step = len(document), int(most)
        check_pages(pages, name)
        if pages <= step:
            return {"parts": [[path, 0, pages]]}
        parts = []
        for first in range(0, pages, step):
            numbers = list(range(first, min(first + step, pages)))
            target = Path(folder) / f"part-{first}.pdf"
            with closing(pdfium_library().PdfDocument.new()) as part:
                part.import_pages(document, numbers)
                part.save(target)
            parts.append([str(target), first, len(numbers)])
        return {"parts": parts}


def _unlocked(path: str, name: str, target: str, password: str) -> Mapping[str, object]:
    pdfium = pdfium_library()
    try:
        document = pdfium.PdfDocument(Path(path), password=password)
    except pdfium.PdfiumError as error:
        wrong = getattr(error, "err_code", None) == PASSWORD_ERROR
        raise InputError("ingest.error.password" if wrong else "ingest.error.damaged", name=name) from error
    saved = BytesIO()
    with closing(document):
        document.save(saved, flags=pdfium.raw.FPDF_REMOVE_SECURITY)
    Path(target).write_bytes(_with_fixed_identifier(saved.getvalue()) + MARK)
    return {"unlocked": True}


def _with_fixed_identifier(content: bytes) -> bytes:
    """PDFium draws the second half of a PDF's identifier at random; the same file must give the same copy."""
    found = list(_IDENTIFIER.finditer(content))
    if not found:
        return content
    first, second = found[-1].span(1), found[-1].span(2)
    return content[: second[0]] + content[slice(*first)] + content[second[1] :]


_TASKS: dict[str, tuple[int, int, Callable[..., Mapping[str, object]]]] = {
    "measure": (1_500_000_000, 30, _measured),
    "split": (1_500_000_000, 120, _split),
    "unlock": (2_000_000_000, 120, _unlocked),
}
"""Bytes of memory, seconds of processor time, and the work."""

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
