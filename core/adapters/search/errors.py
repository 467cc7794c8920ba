"""Exceptions of index libraries as ServiceError with the remedy."""

from collections.abc import Iterator
from contextlib import contextmanager

from core.errors import AppError, ServiceError

_PANIC = "PanicException"
"""Raised when a damaged file crashes native code; derives from BaseException and cannot be imported."""


@contextmanager
def translated(*kinds: type[Exception]) -> Iterator[None]:
    """Raises ServiceError for these exceptions and for panics of native code."""
    try:
        yield
    except AppError:
        raise
    except kinds as error:
        raise damaged(error) from error
    except BaseException as error:
        if type(error).__name__ != _PANIC:
            raise
        raise damaged(error) from error


def damaged(reason: object) -> ServiceError:
    first_line = next(iter(str(reason).splitlines()), type(reason).__name__)
    return ServiceError("retrieval.index_damaged", reason=first_line[:200])
