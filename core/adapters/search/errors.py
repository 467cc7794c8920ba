"""The error of an index that cannot be used, with the remedy."""

from core.errors import ServiceError


def damaged(reason: object) -> ServiceError:
    first_line = next(iter(str(reason).splitlines()), type(reason).__name__)
    return ServiceError("retrieval.index_damaged", reason=first_line[:200])
