"""A PDF in parts of so many pages, each a file of its own: services read no more at a time."""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from core.adapters.pdfium_text import open_pdf
from core.ingest.inspect import check_pages


@dataclass(frozen=True, slots=True)
class Part:
    path: Path
    first: int
    """0-based page of the whole document."""
    pages: int


def pdf_parts(path: Path, name: str, most: int, folder: Path) -> list[Part]:
    """One part, the file itself, where it is short enough. Raises InputError for one that cannot be opened."""
    import pypdfium2

    with closing(open_pdf(path, name)) as document:
        pages = len(document)
        check_pages(pages, name)
        if pages <= most:
            return [Part(path, 0, pages)]
        parts = []
        for first in range(0, pages, most):
            numbers = list(range(first, min(first + most, pages)))
            target = folder / f"part-{first}.pdf"
            made = pypdfium2.PdfDocument.new()  # type: ignore[no-untyped-call]
            with closing(made) as part:
                part.import_pages(document, numbers)
                part.save(target)
            parts.append(Part(target, first, len(numbers)))
        return parts
