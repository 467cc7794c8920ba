"""Child process that splits a PDF: `python -m core.documents.parsing.pdf.parts_process PDF NAME MOST FOLDER`.

Prints one line of JSON: {"parts": [[file, first page, pages], ...]}, or {"error", "params"}. A PDF that is short enough
is its only part.
"""

import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from core.documents.parsing.pdf.text_layer import open_pdf
from core.documents.reading.inspection import check_pages
from core.platform.errors import AppError
from core.platform.processes.isolated_process import die_with_parent, limit_process, lower_priority, open_channel, tell

_MEMORY_BYTES = 1_500_000_000
_CPU_SECONDS = 120


def main(arguments: Sequence[str]) -> int:
    path, name, most, folder = arguments
    channel = open_channel()
    limit_process(_MEMORY_BYTES, _CPU_SECONDS)
    lower_priority(5)
    die_with_parent()
    try:
        parts = _cut(Path(path), name, int(most), Path(folder))
    except AppError as error:
        tell(channel, error=error.key, params=error.params)
        return 0
    tell(channel, parts=[[str(file), first, pages] for file, first, pages in parts])
    return 0


def _cut(path: Path, name: str, most: int, folder: Path) -> list[tuple[Path, int, int]]:
    import pypdfium2

    with closing(open_pdf(path, name)) as document:
        pages = len(document)
        check_pages(pages, name)
        if pages <= most:
            return [(path, 0, pages)]
        parts = []
        for first in range(0, pages, most):
            numbers = list(range(first, min(first + most, pages)))
            target = folder / f"part-{first}.pdf"
            made = pypdfium2.PdfDocument.new()  # type: ignore[no-untyped-call]
            with closing(made) as part:
                part.import_pages(document, numbers)
                part.save(target)
            parts.append((target, first, len(numbers)))
        return parts


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
