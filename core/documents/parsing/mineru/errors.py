"""Errors reported by MinerU's cloud, in both of their formats, as sentences with a remedy."""

from typing import Any

import httpx2

from core.documents.parsing.mineru.http import json_of
from core.platform.errors import AppError, InputError, RetryableServiceError, ServiceError


class JobGoneError(ServiceError):
    """The service does not know the job, or no longer does."""


_INPUT = {
    "-60002": "mineru.service.type",
    "-60003": "mineru.service.unreadable",
    "-60004": "ingest.error.empty",
    "-60005": "mineru.service.too_large",
    "-60006": "mineru.service.too_many_pages",
    "-60015": "mineru.service.unreadable",
    "-60020": "mineru.service.unreadable",
    "-60021": "mineru.service.unreadable",
}
_SERVICE = {
    "A0202": "mineru.service.token_refused",
    "A0211": "mineru.service.token_expired",
    "-60013": "mineru.service.token_refused",
    "-60018": "mineru.service.daily_limit",
    "-60019": "mineru.service.daily_limit",
}
_LATER = {"-10001", "-60001", "-60007", "-60008", "-60009"}
_GONE = {"-60011", "-60012"}
_LONGEST_REASON = 200


def data_of(response: httpx2.Response, name: str) -> dict[str, Any]:
    """The data of a successful response. Raises the AppError for its code or status."""
    if response.status_code == 429:
        raise RetryableServiceError("mineru.service.busy")
    if response.status_code >= 500:
        raise RetryableServiceError("mineru.service.unavailable")
    try:
        found = json_of(response)
    except ServiceError:
        if response.status_code in (401, 403):
            raise ServiceError("mineru.service.token_refused") from None
        raise
    if not isinstance(found, dict):
        raise ServiceError("mineru.service.malformed")
    code = _code(found)
    if code != "0":
        raise error_of(code, found.get("msg"), name)
    if response.status_code in (401, 403):
        raise ServiceError("mineru.service.token_refused")
    data = found.get("data")
    if response.status_code != 200 or not isinstance(data, dict):
        raise ServiceError("mineru.service.malformed")
    return data


def error_of(code: str, said: object, name: str) -> AppError:
    if code in _INPUT:
        return InputError(_INPUT[code], name=name)
    if code in _SERVICE:
        return ServiceError(_SERVICE[code])
    if code in _LATER:
        return RetryableServiceError("mineru.service.busy")
    reason = " ".join(str(said or "").split())[:_LONGEST_REASON]
    if code in _GONE:
        return JobGoneError("mineru.service.failed", name=name, code=code, reason=reason)
    return ServiceError("mineru.service.failed", name=name, code=code or "?", reason=reason or "-")


def _code(found: dict[str, Any]) -> str:
    """Codes are numbers or strings, and the gateway names them differently than the service. Empty if there is none."""
    if found.get("success") is False or "msgCode" in found:
        return str(found.get("msgCode") or "")
    return str(found.get("code", ""))
