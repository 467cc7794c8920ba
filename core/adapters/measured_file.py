"""How much there is in an untrusted file; a PDF is opened by a limited child process."""

from pathlib import Path

from core.adapters.isolated import ChildEndedError, Isolated
from core.errors import InputError, ServiceError
from core.ingest.extent import Extent, extent_of_file
from core.ingest.formats import PDF
from core.ingest.inspect import inspect_file

_SECONDS = 40.0


def measure_file(path: Path, name: str) -> Extent:
    """Raises InputError for a file that cannot be read, ServiceError when that could not be found out."""
    form = inspect_file(path, name)
    if form != PDF:
        return extent_of_file(path, name, form)
    child = Isolated("core.adapters.measure_process", [str(path.resolve()), name])
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
    return Extent(int(str(message["pages"])), int(str(message["characters"])), float(str(message["wide_share"])))
