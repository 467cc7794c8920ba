"""Child process that measures a PDF: `python -m core.documents.parsing.pdf.measure_process PDF NAME`.

{"pages", "characters", "wide_share", "scanned", "pictures"}, or {"error", "params"}.
It counts pages and samples their text layer.
"""

import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from core.documents.estimating.text_size import Extent, extent_of_text
from core.documents.parsing.pdf.pictures import readable_pictures
from core.documents.parsing.pdf.text_layer import open_pdf, page_facts, page_text
from core.documents.reading.inspection import check_pages
from core.platform.errors import AppError
from core.platform.processes.isolated_process import die_with_parent, limit_process, lower_priority, open_channel, tell

_MEMORY_BYTES = 1_500_000_000
_CPU_SECONDS = 30
_PAGES_SAMPLED = 12


def main(arguments: Sequence[str]) -> int:
    path, name = arguments
    channel = open_channel()
    limit_process(_MEMORY_BYTES, _CPU_SECONDS)
    lower_priority(5)
    die_with_parent()
    try:
        extent = _extent(Path(path), name)
    except AppError as error:
        tell(channel, error=error.key, params=error.params)
        return 0
    tell(channel, **asdict(extent))
    return 0


def _extent(path: Path, name: str) -> Extent:
    with closing(open_pdf(path, name)) as document:
        pages = len(document)
        check_pages(pages, name)
        step = max(1, pages // _PAGES_SAMPLED)
        sampled = list(range(step // 2, pages, step))
        text = "".join(page_text(document, number) for number in sampled)
        read = [number for number in sampled if page_facts(document, number).needs_reading]
        pictures = sum(_pictures(document, number) for number in sampled if number not in read)
    extent = extent_of_text("".join(text.split()), pages / len(sampled), pages)
    share = pages / len(sampled)
    return replace(extent, scanned=round(len(read) * share), pictures=round(pictures * share))


def _pictures(document: Any, number: int) -> int:
    """Those on the page that OCR will look at."""
    with closing(document[number]) as page:
        return len(readable_pictures(page))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
