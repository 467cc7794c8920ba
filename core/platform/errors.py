"""Errors shown to users, each with what happened and what to do, and the exceptions of others as errors or values."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TypeVar

from core.platform.texts import text

_PANIC = "PanicException"
"""Raised when native code crashes on a damaged file; derives from BaseException and cannot be imported."""
Result = TypeVar("Result")


class AppError(Exception):
    """A failure with a message in the catalogue; str() gives the English one."""

    def __init__(self, key: str, **params: object) -> None:
        self.key = key
        self.params: dict[str, str] = {name: str(value) for name, value in params.items()}
        super().__init__(text(key, "en", **self.params))

    def sentence(self, language: str) -> str:
        return text(self.key, language, **self.params)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.key, self.params)


class NotFoundError(AppError):
    """The requested thing does not exist, or no longer does."""


class ForbiddenError(AppError):
    """The thing exists, but the person has no right to do that."""


class InputError(AppError):
    """The input is unusable."""


class ConfigurationError(AppError):
    """A setting is missing or wrong."""


class ServiceError(AppError):
    """A service outside this process failed; `retryable` says whether waiting helps."""

    retryable = False


class RetryableServiceError(ServiceError):
    retryable = True


class ReadingEndedError(RetryableServiceError):
    """The process that read a file ended before it was done, which need not be the file's fault."""


class OutOfSpaceError(ServiceError):
    """The disk is full; work that waits can go on once there is room."""


class DamagedError(ServiceError):
    """A file of the data folder does not hold what was written into it."""


class CancelledError(AppError):
    """The user stopped the work."""


class BudgetError(AppError):
    """The question has used up its budget of calls, tokens or seconds."""


def _rebuild(kind: type[AppError], key: str, params: dict[str, str]) -> AppError:
    return kind(key, **params)


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


def unusable(key: str) -> Callable[[BaseException], ServiceError]:
    """For Translated: the error with this key and what was raised as its reason."""
    return lambda error: ServiceError(key, reason=f"{type(error).__name__}: {error}"[:200])


def attempted(do: Callable[[], Result]) -> Result | Exception:
    """The result of a call, or the exception that it raised."""
    try:
        return do()
    except Exception as error:  # noqa: BLE001  # handed on as it is
        return error
