"""Exceptions of index libraries as ServiceError with the remedy."""

from core.adapters.library_errors import Translated
from core.errors import ServiceError


def translated(*kinds: type[Exception]) -> Translated:
    """Raises ServiceError for these exceptions and for panics of native code."""
    return Translated(damaged, *kinds)


def damaged(reason: object) -> ServiceError:
    first_line = next(iter(str(reason).splitlines()), type(reason).__name__)
    return ServiceError("retrieval.index_damaged", reason=first_line[:200])
