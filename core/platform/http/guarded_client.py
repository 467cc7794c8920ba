"""HTTP for services that may hang: a wall-clock limit per request, a size limit, no redirects, and stopping.

Ordinary time-outs count from byte to byte, so slow headers and keep-alives defeat them. Here the read time-out of a
request limits all of it: every wait on the socket is cut to the time left, and to a slice after which the stop signal
is checked. No helper threads are used, so none are left behind.
"""

import ssl
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import httpcore2
import httpx2

from core.platform.errors import ConfigurationError
from core.platform.http.address import LOOPBACK, check_address, is_metadata

SLICE_SECONDS = 0.2
CONNECT_SECONDS = 10.0
DEFAULT_SECONDS = 60.0
MAX_BYTES = 8_000_000
"""Limit of one response."""
KEEP_ALIVE_SECONDS = 60.0
MOST_CONNECTIONS = 100
"""Concurrent connections. Callers set their own bound, and waiting for a connection would use up their time."""
READ_BYTES = 16_000
"""Maximum bytes of one read, including through TLS."""

Stopped = Callable[[], bool]


@dataclass(slots=True)
class _Limit:
    ends_at: float
    stopped: Stopped
    pause_seconds: float = 0.0
    """Least time between two reads."""
    read_at: float = 0.0

    def rest(self) -> None:
        """Waits before a read."""
        if self.pause_seconds:
            time.sleep(max(0.0, self.read_at + self.pause_seconds - time.monotonic()))

    def took(self, length: int) -> None:
        """Notes a read; after a full one the next is not delayed, because more data waits."""
        if self.pause_seconds:
            self.read_at = time.monotonic() if length < READ_BYTES else 0.0

    def seconds(self) -> float:
        """Seconds left. Raises ReadTimeout if none are, ReadError if the user stopped the work."""
        if self.stopped():
            raise httpcore2.ReadError("stopped")
        left = self.ends_at - time.monotonic()
        if left <= 0:
            raise httpcore2.ReadTimeout("the request took longer than its limit")
        return left


def _never() -> bool:
    return False


_STOPPED: ContextVar[Stopped] = ContextVar("stopped", default=_never)
_LIMIT: ContextVar[_Limit | None] = ContextVar("limit", default=None)


@contextmanager
def stoppable(stopped: Stopped) -> Iterator[None]:
    """Requests started inside end soon after stopped() becomes true, whatever the service does."""
    token = _STOPPED.set(stopped)
    try:
        yield
    finally:
        _STOPPED.reset(token)


def stop_requested() -> bool:
    """Whether the work that the current request belongs to was stopped."""
    return _STOPPED.get()()


@cache
def tls() -> ssl.SSLContext:
    """One per process, because loading the certificates takes 25 ms and more."""
    return httpx2.create_ssl_context()


def open_client(base_url: str, max_bytes: int = MAX_BYTES) -> httpx2.Client:
    """A client to keep and share. Raises ConfigurationError for an address that no service of ours has."""
    check_address(base_url)
    transport = GuardedTransport(_proxy_for(base_url), max_bytes)
    return httpx2.Client(transport=transport, timeout=DEFAULT_SECONDS, follow_redirects=False)


def throttle_reads(response: httpx2.Response, seconds: float) -> None:
    """Read a slow body at most once per `seconds`, because a read costs more than the few bytes it brings."""
    limit: _Limit = response.extensions["limit"]
    limit.pause_seconds = seconds


def prolong(response: httpx2.Response, ends_at: float) -> None:
    """Sets the deadline for the rest of the body, on the monotonic clock."""
    limit: _Limit = response.extensions["limit"]
    limit.ends_at = ends_at


def discard_rest(response: httpx2.Response, chunks: Iterator[bytes], seconds: float) -> None:
    """Reads a body to its end so that the connection can be reused; gives up if that takes too long."""
    limit: _Limit = response.extensions["limit"]
    limit.ends_at = min(limit.ends_at, time.monotonic() + seconds)
    limit.pause_seconds = 0.0
    with suppress(httpx2.HTTPError):
        for _ in chunks:
            pass


class GuardedTransport(httpx2.BaseTransport):
    def __init__(self, proxy_url: str = "", max_bytes: int = MAX_BYTES) -> None:
        """`max_bytes` limits one response."""
        self._max_bytes = max_bytes
        options: dict[str, Any] = {
            "ssl_context": tls(),
            "network_backend": _Backend(),
            "max_connections": MOST_CONNECTIONS,
            "keepalive_expiry": KEEP_ALIVE_SECONDS,
        }
        if proxy_url:
            proxy = httpx2.Proxy(proxy_url)
            options |= {"proxy_url": str(proxy.url), "proxy_auth": proxy.raw_auth}
        kind = httpcore2.HTTPProxy if proxy_url else httpcore2.ConnectionPool
        self._pool: httpcore2.ConnectionPool = kind(**options)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        seconds = request.extensions.get("timeout", {}).get("read") or DEFAULT_SECONDS
        limit = _Limit(time.monotonic() + seconds, _STOPPED.get())
        url = request.url
        request.headers["Accept-Encoding"] = "identity"  # the limit of an answer's size counts its bytes as they come
        with _translated(), _within(limit):
            answer = self._pool.handle_request(
                httpcore2.Request(
                    method=request.method,
                    url=httpcore2.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
                    headers=request.headers.raw,
                    content=request.stream,
                    extensions=request.extensions,
                )
            )
        if any(name.lower() == b"content-encoding" and value != b"identity" for name, value in answer.headers):
            answer.close()
            raise httpx2.ReadError("the answer is compressed, which was not asked for")
        extensions = {**answer.extensions, "limit": limit}
        return httpx2.Response(
            answer.status, headers=answer.headers, stream=_Body(answer, limit, self._max_bytes), extensions=extensions
        )

    def close(self) -> None:
        self._pool.close()


class _Body(httpx2.SyncByteStream):
    """Stream of a response with each wait under the limit."""

    def __init__(self, answer: httpcore2.Response, limit: _Limit, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._answer = answer
        self._limit = limit

    def __iter__(self) -> Iterator[bytes]:
        left = self._max_bytes
        chunks = iter(self._answer.iter_stream())
        while True:
            with _translated(), _within(self._limit):
                chunk = next(chunks, None)
            if chunk is None:
                return
            left -= len(chunk)
            if left < 0:
                raise httpx2.ReadError(f"the answer is larger than {self._max_bytes} bytes")
            yield chunk

    def close(self) -> None:
        self._answer.close()


class _Stream(httpcore2.NetworkStream):
    """A socket whose waits end with the time limit of the request."""

    def __init__(self, inner: httpcore2.NetworkStream) -> None:
        self._inner = inner

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        limit = _LIMIT.get()
        if limit:
            limit.rest()
        data = self._read(max_bytes, timeout)
        if limit:
            limit.took(len(data))
        return data

    def _read(self, max_bytes: int, timeout: float | None) -> bytes:
        while True:
            try:
                return self._inner.read(max_bytes, min(_seconds(timeout), SLICE_SECONDS))
            except httpcore2.ReadTimeout:
                _seconds(timeout)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, _seconds(timeout))

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return _Stream(self._inner.start_tls(ssl_context, server_hostname, _seconds(timeout)))

    def get_extra_info(self, info: str) -> object:
        return self._inner.get_extra_info(info)


class _Backend(httpcore2.SyncBackend):
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.NetworkStream:
        seconds = min(_seconds(timeout), CONNECT_SECONDS)
        stream = super().connect_tcp(host, port, seconds, local_address, socket_options)
        peer = stream.get_extra_info("server_addr")
        if peer and is_metadata(str(peer[0])):
            stream.close()
            raise httpcore2.ConnectError(f"{host} leads to a link-local address, which is not asked")
        return _Stream(stream)


def _seconds(timeout: float | None) -> float:
    limit = _LIMIT.get()
    return limit.seconds() if limit else timeout or DEFAULT_SECONDS


@contextmanager
def _within(limit: _Limit) -> Iterator[None]:
    token = _LIMIT.set(limit)
    try:
        yield
    finally:
        _LIMIT.reset(token)


@contextmanager
def _translated() -> Iterator[None]:
    """Converts the transport's exceptions to the client's, which have the same names."""
    try:
        yield
    except (httpcore2.TimeoutException, httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ProxyError) as error:
        kind: type[httpx2.TransportError] = getattr(httpx2, type(error).__name__)
        raise kind(str(error)) from error


def _proxy_for(base_url: str) -> str:
    """The environment's proxy for an address, never for this machine.

    Raises ConfigurationError for a non-HTTP proxy.
    """
    parts = urlsplit(base_url)
    host = parts.hostname or ""
    if host in LOOPBACK or proxy_bypass(host):
        return ""
    proxies = getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all", "")
    if proxy and urlsplit(proxy).scheme not in ("http", "https"):
        raise ConfigurationError("llm.proxy_unsupported")
    return proxy
