"""Failures of a model endpoint, as sentences with a remedy."""

import httpx2
import openai

from core.models.failures import BusyError, EndpointError, RefusedError, retry_after
from core.models.redact import redact
from core.platform.errors import RetryableServiceError, ServiceError

LONGEST_DETAIL = 500
"""Characters of an endpoint's message kept for the log."""
_BY_STATUS = {402: "llm.no_credit", 404: "llm.not_found", 413: "llm.refused"}
_RETRYABLE = (408, 409, 425)


def problem_of(error: Exception, api_key: str) -> ServiceError:
    """The ServiceError for an exception of the SDK or the connection, with a redacted cause."""
    detail = redact(f"{type(error).__name__}: {error} {getattr(error, 'code', None) or ''}", [api_key])
    problem = _of_status(error, detail, bool(api_key)) if isinstance(error, openai.APIStatusError) else _of_wire(error)
    problem.__cause__ = EndpointError(detail[:LONGEST_DETAIL])
    return problem


def _of_wire(error: Exception) -> ServiceError:
    """Without a connection the endpoint was unreachable; with one, the answer was cut off.

    A client that knows better why there is none, as that of a model on this machine, raises its own ServiceError.
    """
    cause: BaseException | None = error
    while isinstance(cause, openai.APIConnectionError):  # LangChain wraps the SDK's error in another one of its kind
        cause = cause.__cause__
    if isinstance(cause, ServiceError):
        return cause
    apart = isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout | httpx2.ProxyError)
    return RetryableServiceError("llm.unreachable" if apart else "llm.interrupted")


def _of_status(error: openai.APIStatusError, detail: str, has_key: bool) -> ServiceError:
    status = error.status_code
    if status in (400, 422):
        refused = RefusedError("llm.refused")
        refused.said = detail
        return refused
    if status in (401, 403):
        return ServiceError("llm.key_refused" if has_key else "llm.key_missing")
    if status == 429 and "insufficient_quota" not in detail:
        busy = BusyError("llm.busy")
        busy.wait_seconds = retry_after(error.response.headers.get("retry-after", ""))
        return busy
    if status >= 500 or status in _RETRYABLE:
        return RetryableServiceError("llm.unavailable")
    return ServiceError("llm.no_credit" if status == 429 else _BY_STATUS.get(status, "llm.malformed"))
