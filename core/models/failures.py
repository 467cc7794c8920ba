"""Errors of endpoints in more detail than the messages for the user."""

import math

from core.platform.errors import RetryableServiceError, ServiceError

SPENT = {"llm.interrupted", "llm.timeout"}
"""Failures of calls that an endpoint had begun to work on, and charges for."""


class EndpointError(Exception):
    """The message of the endpoint or the connection, secrets removed: the cause of a ServiceError."""


class RefusedError(ServiceError):
    """The endpoint rejected the request as it is (400, 422)."""

    said = ""
    """Its reason, secrets removed."""


class BusyError(RetryableServiceError):
    """The endpoint is busy or down for a while, and may say for how long."""

    wait_seconds: float | None = None
    """As requested; None if not given, or not in seconds."""
    too_long = False
    """More than is waited for: what was cut short once is not waited for again."""


class ToolsUnknownError(ServiceError):
    """The endpoint or its model cannot call tools."""


def retry_after(header: str) -> float | None:
    """Seconds of a Retry-After header; None for anything else."""
    try:
        seconds = float(header)
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None
