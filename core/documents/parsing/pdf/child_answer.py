"""Asks a limited child process one thing about a file, and ends it."""

from collections.abc import Mapping, Sequence

from core.platform.errors import InputError, ServiceError
from core.platform.processes.isolated_process import ChildEndedError, Isolated


def answer_of_child(
    module: str, arguments: Sequence[str], name: str, seconds: float, request: Mapping[str, object] | None = None
) -> Mapping[str, object]:
    """Raises InputError for what the child reports about the file, ServiceError when it ended or took too long.

    request: sent through standard input, where no other process can read it.
    """
    child = Isolated(module, arguments)
    try:
        if request is not None:
            child.send(request)
        message = child.receive(seconds)
    except ChildEndedError as error:
        raise error.failure(name) from error
    finally:
        child.stop()
    if message is None:
        raise ServiceError("ingest.error.parser_failed", name=name)
    if "error" in message:
        params = message.get("params")
        raise InputError(str(message["error"]), **{"name": name, **(params if isinstance(params, dict) else {})})
    return message
