"""Middleware for every response and request: security headers, known hosts and origins, no slow connections."""

import re
from base64 import b64encode
from collections.abc import Collection, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from core.interfaces.http.slow_bodies import in_time

_INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
LOCAL = ("localhost", "127.0.0.1", "::1")
"""Names of this machine; further ones are configured in server.allowedHosts."""
_CLOSED = ("_stcore", "metrics")
"""Streamlit's metrics route, which no page needs."""
_SCHEMES = {"ws": "http", "wss": "https"}
_OPAQUE = "null"
"""Origin of a sandboxed page, such as the drawing of the graph, which loads its script; it can read nothing else."""
_POLICY_VIOLATION = 1008
REQUEST_SECONDS = 30.0
"""A connection that waits for a request is closed after this time, or twice of it after an answer."""
_connected: Any = AutoHTTPProtocol.connection_made


class SecurityHeaders:
    """ASGI middleware. A route that sets one of the headers itself (a stricter policy for a drawing) keeps its own."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str]) -> None:
        self.app = app
        self.headers = dict(headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    answer.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


def security_headers() -> dict[str, str]:
    return {
        "Content-Security-Policy": content_security_policy(_streamlit_page()),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "SAMEORIGIN",
    }


def content_security_policy(page: str) -> str:
    """The policy for Streamlit's index page.

    Its inline scripts are allowed by their hash; `blob:` is how components.v2 loads a component's module; styles are
    inline because Streamlit writes them at run time.
    """
    scripts = " ".join(f"'sha256-{_digest(script)}'" for script in _INLINE_SCRIPT.findall(page))
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' blob: {scripts}".rstrip(),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "media-src 'self' data: blob:",
            "worker-src 'self' blob:",
            "connect-src 'self'",
            "frame-src 'self'",
            "frame-ancestors 'self'",
            "form-action 'self'",
            "base-uri 'self'",
            "object-src 'none'",
        )
    )


def _digest(script: str) -> str:
    return b64encode(sha256(script.encode()).digest()).decode()


def _streamlit_page() -> str:
    return (Path(st.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")


class OriginGuard:
    """ASGI middleware for every request and WebSocket."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or _is_allowed(scope):
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": _POLICY_VIOLATION})
        else:
            await PlainTextResponse("not allowed", status_code=403)(scope, receive, send)


def _is_allowed(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    hosts, origins = headers.getlist("host"), headers.getlist("origin")
    if len(hosts) != 1 or len(origins) > 1 or _is_closed(scope["path"]):
        return False
    if not is_known_host(hosts[0], [*LOCAL, *st.get_option("server.allowedHosts")]):
        return False
    own = f"{_SCHEMES.get(scope['scheme'], scope['scheme'])}://{hosts[0]}".lower()
    trusted = {origin.strip().rstrip("/").lower() for origin in st.get_option("server.corsAllowedOrigins")}
    harmless = {_OPAQUE} if scope.get("method") in ("GET", "HEAD") else set()
    return not origins or origins[0].lower() in {own, *trusted, *harmless}


def is_known_host(host: str, allowed: Collection[str]) -> bool:
    """Whether a host is allowed, ignoring the port; `*.example.com` matches every subdomain, `*` every name."""
    try:
        parts = urlsplit(f"//{host}")
        name, _ = parts.hostname, parts.port
    except ValueError:
        return False
    if not name or parts.path or parts.query or parts.fragment or "@" in host:
        return False
    name = name.lower().rstrip(".")
    return any(_fits(name, pattern.strip().lower().rstrip(".")) for pattern in allowed)


def _fits(name: str, pattern: str) -> bool:
    if pattern.startswith("*."):
        return name.endswith(pattern[1:])
    return pattern in ("*", name)


def _is_closed(path: str) -> bool:
    parts = tuple(part for part in path.lower().split("/") if part)
    return parts[-2:] == _CLOSED


class SlowUploads:
    """ASGI middleware: what an app waits for that answers an HTTPException, as an upload into a page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, in_time(receive) if scope["type"] == "http" else receive, send)


def close_slow_requests() -> None:
    """Those without a whole head, of all connections of this process from now on."""
    AutoHTTPProtocol.connection_made = _watched  # type: ignore[assignment, method-assign]


def _watched(connection: Any, transport: object) -> None:
    _connected(connection, transport)
    _look_later(connection, None)


def _look_later(connection: Any, answered: object) -> None:
    connection.loop.call_later(REQUEST_SECONDS, _look, connection, answered)


def _look(connection: Any, answered: object) -> None:
    """answered: the last request at the look before if it was answered then, None if there was none yet."""
    if connection not in connection.connections:  # it has ended, or is a websocket now
        return
    last = connection.cycle
    waits = last is None or last.response_complete
    if waits and last is answered:
        connection.transport.close()
    else:
        _look_later(connection, last if waits else connection)
