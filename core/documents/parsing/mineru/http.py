"""HTTP to MinerU: limits on time and size, prompt stopping, errors as sentences with a remedy and without secrets."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import IO, Any
from urllib.parse import urljoin, urlsplit

import httpx2

from core.models.meter import Cancel, stop_if_requested
from core.models.redact import redact
from core.platform.errors import (
    AppError,
    CancelledError,
    ConfigurationError,
    InputError,
    RetryableServiceError,
    ServiceError,
)
from core.platform.http.address import LOOPBACK
from core.platform.http.guarded_client import open_client, stoppable

_LOG = logging.getLogger(__name__)
CALL_SECONDS = 60.0
TRANSFER_SECONDS = 1_800.0
MOST_BYTES = 1_000_000_000
_PIECE = 1 << 18
_REDIRECTS = 3
_SAID = 300
"""Characters of a service's message kept for the log."""
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
"""Codes of errors of the cloud, in both of its formats."""
_LONGEST_REASON = 200


class MineruHttp:
    """One service; close() when done."""

    def __init__(self, base_url: str, token: str = "") -> None:
        """Raises ConfigurationError for an unusable address or token."""
        self.base_url = usable_address(base_url)
        if not (token.isascii() and token.isprintable()):
            raise ConfigurationError("mineru.service.token_refused")
        self._token = token
        self._client = open_client(self.base_url, MOST_BYTES)

    def call(
        self, method: str, path: str, cancel: Cancel, seconds: float = CALL_SECONDS, **parts: Any
    ) -> httpx2.Response:
        """A complete response of any status. Raises RetryableServiceError if there is none."""
        headers = {"Authorization": f"Bearer {self._token}"} if self._token else {}
        with self._guarded(cancel):
            return self._client.request(method, f"{self.base_url}{path}", headers=headers, timeout=seconds, **parts)

    def upload(self, url: str, path: Path, cancel: Cancel) -> int:
        """PUT without content type and without our token, either of which would invalidate the link's signature.

        Returns the status.
        """
        checked_link(url, self.base_url)
        request = self._client.build_request(
            "PUT",
            url,
            content=_pieces(path, cancel),
            headers={"Content-Length": str(path.stat().st_size)},
            timeout=TRANSFER_SECONDS,
        )
        with self._guarded(cancel):
            return self._client.send(request).status_code

    def download(self, url: str, target: IO[bytes], cancel: Cancel) -> None:
        """Sent without our token; redirects are followed to https only. Raises RetryableServiceError."""
        for _ in range(_REDIRECTS + 1):
            checked_link(url, self.base_url)
            with self._guarded(cancel), self._client.stream("GET", url, timeout=TRANSFER_SECONDS) as response:
                if response.is_redirect:
                    url = urljoin(url, response.headers.get("location", ""))
                    continue
                if response.status_code != 200:
                    raise RetryableServiceError("mineru.service.download")
                target.seek(0)
                target.truncate()
                for piece in response.iter_bytes(_PIECE):
                    target.write(piece)
                return
        raise ServiceError("mineru.service.download")

    def close(self) -> None:
        self._client.close()

    @contextmanager
    def _guarded(self, cancel: Cancel) -> Iterator[None]:
        try:
            with stoppable(cancel.requested):
                yield
        except httpx2.HTTPError as error:
            if cancel.requested():
                raise CancelledError("error.cancelled") from None
            _LOG.warning("MinerU: %s", redact(f"{type(error).__name__}: {error}", [self._token])[:_SAID])
            timeout = isinstance(error, httpx2.ReadTimeout | httpx2.WriteTimeout)
            raise RetryableServiceError("mineru.service.timeout" if timeout else "mineru.service.unreachable") from None


def usable_address(base_url: str) -> str:
    """Without a trailing slash. Raises ConfigurationError."""
    address = base_url.strip().rstrip("/")
    try:
        parts = urlsplit(address)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.username
    except ValueError:
        usable = False
    if not usable:
        raise ConfigurationError("mineru.service.address")
    return address


def checked_link(url: str, base_url: str) -> None:
    """A link given by the service: https, or this machine if the service runs here. Raises ServiceError."""
    try:
        parts, own = urlsplit(url), urlsplit(base_url)
    except ValueError:
        raise ServiceError("mineru.service.malformed") from None
    here = own.hostname in LOOPBACK and parts.hostname in LOOPBACK and parts.scheme in ("http", "https")
    if not here and (parts.scheme != "https" or not parts.hostname or not _is_public(parts.hostname)):
        raise ServiceError("mineru.service.malformed")


def _is_public(host: str) -> bool:
    """A name other than this machine's, or an address outside private networks."""
    try:
        return ip_address(host).is_global
    except ValueError:
        return host not in LOOPBACK


def json_of(response: httpx2.Response) -> Any:
    """Raises ServiceError if the body is not JSON."""
    try:
        return response.json()
    except ValueError as error:
        raise ServiceError("mineru.service.malformed") from error


def _pieces(path: Path, cancel: Cancel) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            stop_if_requested(cancel)
            yield piece


class JobGoneError(ServiceError):
    """The cloud does not know the job, or no longer does."""


def data_of(response: httpx2.Response, name: str) -> dict[str, Any]:
    """The data of a successful response of the cloud. Raises the AppError for its code or status."""
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
