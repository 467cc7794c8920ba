"""An encrypted PDF as a copy without its password, made by a limited child process; the password is not kept."""

from pathlib import Path

from core.adapters.isolated_process import ChildEndedError, Isolated
from core.errors import InputError, ServiceError

_SECONDS = 150.0


def unlocked_pdf(path: Path, name: str, password: str, target: Path) -> None:
    """Writes the copy to target. Raises InputError for a wrong password or a damaged file, ServiceError."""
    child = Isolated("core.adapters.pdf.unlock_process", [str(path.resolve()), name, str(target.resolve())])
    try:
        child.send({"password": password})
        message = child.receive(_SECONDS)
    except ChildEndedError as error:
        raise ServiceError("ingest.error.parser_failed", name=name) from error
    finally:
        child.stop()
    if message is None:
        raise ServiceError("ingest.error.parser_failed", name=name)
    if "error" in message:
        raise InputError(str(message["error"]), name=name)
