"""Restriction of access to pages of this app under a host name of this server.

Streamlit itself accepts pages of any port on this machine and, by default, any host name.
"""

from collections.abc import Collection
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

LOCAL = ("localhost", "127.0.0.1", "::1")
"""Names of this machine; further ones are configured in server.allowedHosts."""
_CLOSED = ("_stcore", "metrics")
"""Streamlit's metrics route, which no page needs."""
_SCHEMES = {"ws": "http", "wss": "https"}
_OPAQUE = "null"
"""Origin of a sandboxed page, such as the drawing of the graph, which loads its script; it can read nothing else."""
_POLICY_VIOLATION = 1008


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
