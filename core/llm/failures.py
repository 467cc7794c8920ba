"""What an endpoint can say no with, beyond the sentences for a person."""

from core.errors import RetryableServiceError, ServiceError


class EndpointError(Exception):
    """What the endpoint or the connection said, secrets removed: the cause of a ServiceError."""


class RefusedError(ServiceError):
    """The endpoint does not take the request as it is (400, 422)."""

    said = ""
    """Its reason, secrets removed."""


class BusyError(RetryableServiceError):
    """The endpoint asks for a pause (429)."""

    wait_seconds: float | None = None
    """As asked for; None when it did not say, or not in seconds."""


class ToolsUnknownError(ServiceError):
    """The endpoint or its model cannot call tools."""
