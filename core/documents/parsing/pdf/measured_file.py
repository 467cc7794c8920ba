"""The size of an untrusted file's content. PDFs are opened in a limited child process."""

from pathlib import Path

from core.documents.estimating.text_size import Extent, extent_of_file
from core.documents.parsing.pdf.child_answer import answer_of_child
from core.documents.reading.formats import PDF
from core.documents.reading.inspection import inspect_file

_SECONDS = 40.0


def measure_file(path: Path, name: str) -> Extent:
    """Raises InputError if the file cannot be read, ServiceError if it could not be measured."""
    form = inspect_file(path, name)
    if form != PDF:
        return extent_of_file(path, name, form)
    message = answer_of_child("core.documents.parsing.pdf.measure_process", [str(path.resolve()), name], name, _SECONDS)
    return Extent(
        int(str(message["pages"])),
        int(str(message["characters"])),
        float(str(message["wide_share"])),
        int(str(message["scanned"])),
        int(str(message["pictures"])),
    )
