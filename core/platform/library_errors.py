"""Translates exceptions of libraries that raise plain `Exception`, or panic in native code, to one of our own."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType

from core.platform.errors import AppError

_PANIC = "PanicException"
"""Raised when native code crashes on a damaged file; derives from BaseException and cannot be imported."""


class Translated(AbstractContextManager[None, None]):
    """Raises `to(error)` for errors of these kinds and for panics; an AppError passes through unchanged."""

    def __init__(self, to: Callable[[BaseException], AppError], *kinds: type[Exception]) -> None:
        self._to = to
        self._kinds = kinds

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is None or isinstance(error, AppError):
            return
        if isinstance(error, self._kinds) or type(error).__name__ == _PANIC:
            raise self._to(error) from error
