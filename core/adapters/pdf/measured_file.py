"""The size of an untrusted file's content. PDFs are opened in a limited child process."""

from pathlib import Path

from core.adapters.isolated_process import ChildEndedError, Isolated
from core.errors import InputError, ServiceError
from core.ingest.estimating.text_size import Extent, extent_of_file
from core.ingest.reading.formats import PDF
from core.ingest.reading.inspection import inspect_file

_SECONDS = 40.0


def measure_file(path: Path, name: str) -> Extent:
    """Raises InputError if the file cannot be read, ServiceError if it could not be measured."""
    form = inspect_file(path, name)
    if form != PDF:
        return extent_of_file(path, name, form)
    child = Isolated("core.adapters.pdf.measure_process", [str(path.resolve()), name])
    try:
        message = child.receive(_SECONDS)
    except ChildEndedError as error:
        raise ServiceError("ingest.error.parser_failed", name=name) from error
    finally:
        child.stop()
    if message is None:
        raise ServiceError("ingest.error.parser_failed", name=name)
    if "error" in message:
        params = message.get("params")
        raise InputError(str(message["error"]), **(params if isinstance(params, dict) else {}))
    return Extent(
        int(str(message["pages"])),
        int(str(message["characters"])),
        float(str(message["wide_share"])),
        int(str(message["scanned"])),
        int(str(message["pictures"])),
    )
