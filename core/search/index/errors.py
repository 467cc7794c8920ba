"""The errors of an index that cannot be used, with the remedy."""

from core.platform.errors import ServiceError


class IndexMissingError(ServiceError):
    """A level has no vectors: they were lost, or never made."""


def damaged(reason: object) -> ServiceError:
    first_line = next(iter(str(reason).splitlines()), type(reason).__name__)
    return ServiceError("retrieval.index_damaged", reason=first_line[:200])
