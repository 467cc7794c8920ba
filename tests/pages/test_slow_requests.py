"""Connections that bring no request, or bring it a byte at a time, are closed; others may wait for an answer."""

import asyncio
import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from pages.components.shell import slow_requests

SECONDS = 0.3
GET = b"GET /%s HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /quick HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n"
WEBSOCKET = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


async def quick(_: Request) -> PlainTextResponse:
    return PlainTextResponse("at once")


async def slow(_: Request) -> PlainTextResponse:
    await asyncio.sleep(5 * SECONDS)
    return PlainTextResponse("late")


async def listen(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_text(await websocket.receive_text())


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(slow_requests, "SECONDS", SECONDS)
    monkeypatch.setattr(AutoHTTPProtocol, "connection_made", AutoHTTPProtocol.connection_made)  # as it was, afterwards
    slow_requests.close_slow_requests()
    routes = [Route("/quick", quick, methods=["GET"]), Route("/slow", slow), WebSocketRoute("/socket", listen)]
    running = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), "127.0.0.1", 0, log_level="warning"))
    thread = threading.Thread(target=running.run)
    thread.start()
    while not running.started:
        time.sleep(0.01)
    yield running.servers[0].sockets[0].getsockname()[1]
    running.should_exit = True
    thread.join(30)
    assert not thread.is_alive()


def received(port: int, sent: bytes, drip: bytes, enough: bytes = b"\0") -> tuple[bytes, bool]:
    """What the server says to what is sent at once and then slowly, and whether it closed the connection."""
    said, until = b"", time.monotonic() + 20
    with socket.create_connection(("127.0.0.1", port), timeout=SECONDS / 3) as connection:
        connection.sendall(sent)
        while enough not in said and time.monotonic() < until:
            try:
                if not (piece := connection.recv(1 << 16)):
                    return said, True
                said += piece
            except TimeoutError:
                connection.sendall(drip)
            except ConnectionError:
                return said, True
    return said, False


@pytest.mark.parametrize("drip", [b"", b"x"])
@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(GET % b"quick", id="half a head"),
        pytest.param(GET % b"quick" + b"\r\n" + GET % b"quick", id="half a second head"),
        pytest.param(POST, id="a body that nobody waits for"),
    ],
)
def test_a_request_that_does_not_come_is_closed(port: int, sent: bytes, drip: bytes) -> None:
    assert received(port, sent, drip)[1]


def test_an_answer_may_take_its_time(port: int) -> None:
    said, closed = received(port, GET % b"slow" + b"\r\n", b"", b"late")
    assert said.endswith(b"late")
    assert not closed


def test_a_websocket_may_be_silent(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=5 * SECONDS) as connection:
        connection.sendall(GET % b"socket" + WEBSOCKET)
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 101 ")
        with pytest.raises(TimeoutError):
            connection.recv(1)
        connection.sendall(b"\x81\x82\0\0\0\0ok")
        assert connection.recv(1 << 16).startswith(b"\x81\x02ok")
