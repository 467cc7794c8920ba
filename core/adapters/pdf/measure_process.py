"""Child process that measures a PDF: `python -m core.adapters.pdf.measure_process PDF NAME`.

{"pages", "characters", "wide_share", "scanned"}, or {"error", "params"}. It counts pages and samples their text layer.
"""

import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from core.adapters.isolated_process import die_with_parent, limit_process, lower_priority, open_channel, tell
from core.adapters.pdf.text_layer import open_pdf, page_facts, page_text
from core.errors import AppError
from core.ingest.estimating.text_size import Extent, extent_of_text
from core.ingest.reading.inspection import check_pages

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
    tell(
        channel, pages=extent.pages, characters=extent.characters, wide_share=extent.wide_share, scanned=extent.scanned
    )
    return 0


def _extent(path: Path, name: str) -> Extent:
    with closing(open_pdf(path, name)) as document:
        pages = len(document)
        check_pages(pages, name)
        step = max(1, pages // _PAGES_SAMPLED)
        sampled = list(range(step // 2, pages, step))
        text = "".join(page_text(document, number) for number in sampled)
        scanned = sum(page_facts(document, number).needs_reading for number in sampled)
    extent = extent_of_text("".join(text.split()), pages / len(sampled), pages)
    return replace(extent, scanned=round(scanned * pages / len(sampled)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
