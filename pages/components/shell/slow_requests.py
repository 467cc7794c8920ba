"""Closes connections on which a request does not come in time; uvicorn, which Streamlit sets up, has no limit."""

from typing import Any

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from core.interfaces.http.slow_bodies import in_time

SECONDS = 30.0
"""A connection that waits for a request is closed after this time, or twice of it after an answer."""
_connected: Any = AutoHTTPProtocol.connection_made


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
    connection.loop.call_later(SECONDS, _look, connection, answered)


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
