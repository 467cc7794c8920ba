"""HTTP to MinerU: limits on time and size, prompt stopping, no secrets in errors."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import IO, Any
from urllib.parse import urljoin, urlsplit

import httpx2

from core.models.meter import Cancel
from core.models.redact import redact
from core.platform.errors import CancelledError, ConfigurationError, RetryableServiceError, ServiceError
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
            return self._client.request(
                method, f"{self.base_url}{path}", headers=headers, timeout=_limit(seconds), **parts
            )

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
            timeout=_limit(TRANSFER_SECONDS),
        )
        with self._guarded(cancel):
            return self._client.send(request).status_code

    def download(self, url: str, target: IO[bytes], cancel: Cancel) -> None:
        """Sent without our token; redirects are followed to https only. Raises RetryableServiceError."""
        for _ in range(_REDIRECTS + 1):
            checked_link(url, self.base_url)
            with self._guarded(cancel), self._client.stream("GET", url, timeout=_limit(TRANSFER_SECONDS)) as response:
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


def _limit(seconds: float) -> httpx2.Timeout:
    return httpx2.Timeout(seconds)


def _pieces(path: Path, cancel: Cancel) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE):
            if cancel.requested():
                raise CancelledError("error.cancelled")
            yield piece
