"""Connections that bring no request, or bring it a byte at a time, are closed; others may take their time."""

import asyncio
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from core.interfaces.http import slow_bodies
from pages.components.shell import security

ROOT = Path(__file__).parents[2]
SECONDS = 0.3
GET = b"GET /%s HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /quick HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900\r\n\r\n"
PUT = (
    b"PUT /upload HTTP/1.1\r\nHost: localhost\r\nContent-Type: multipart/form-data; boundary=edge\r\n"
    b"Content-Length: %d\r\n\r\n"
)
PART = b'--edge\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n'
WEBSOCKET = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)


async def quick(_: Request) -> PlainTextResponse:
    return PlainTextResponse("at once")


async def slow(_: Request) -> PlainTextResponse:
    await asyncio.sleep(5 * SECONDS)
    return PlainTextResponse("late")


async def upload(request: Request) -> PlainTextResponse:
    async with request.form() as form:
        return PlainTextResponse(", ".join(form))


async def listen(websocket: WebSocket) -> None:
    await websocket.accept()
    await websocket.send_text(await websocket.receive_text())


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(security, "REQUEST_SECONDS", SECONDS)
    monkeypatch.setattr(AutoHTTPProtocol, "connection_made", AutoHTTPProtocol.connection_made)  # as it was, afterwards
    monkeypatch.setattr(slow_bodies, "BODY_SECONDS", SECONDS)
    monkeypatch.setattr(slow_bodies, "MOST_SECONDS", 2 * SECONDS)
    security.close_slow_requests()
    routes = [Route("/quick", quick, methods=["GET"]), Route("/slow", slow), WebSocketRoute("/socket", listen)]
    app = Starlette(
        routes=[*routes, Route("/upload", upload, methods=["PUT"])], middleware=[Middleware(security.SlowUploads)]
    )
    running = uvicorn.Server(uvicorn.Config(app, "127.0.0.1", 0, log_level="warning"))
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


@pytest.mark.parametrize("drip", [b"", b"x"])
@pytest.mark.parametrize("came", [0, 50_000], ids=["a body from its start", "the end of a body"])
def test_an_upload_that_drips_is_refused_and_closed(port: int, came: int, drip: bytes) -> None:
    said, closed = received(port, PUT % 100_000 + PART + b"x" * came, drip)
    assert said.startswith(b"HTTP/1.1 408 ")
    assert b"did not come" in said
    assert closed


def test_a_slow_upload_may_take_its_time(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_bodies, "MOST_SECONDS", 60.0)  # a busy machine may make the sender pause
    piece, began = b"x" * 500, time.monotonic()
    body = PART + 20 * piece + b"\r\n--edge--\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(PUT % len(body))
        for start in range(0, len(body), len(piece)):
            connection.sendall(body[start : start + len(piece)])
            time.sleep(SECONDS / 6)
        assert connection.recv(1 << 16).endswith(b"file")
    assert time.monotonic() - began > 3 * SECONDS


def test_an_answer_may_take_its_time(port: int) -> None:
    said, closed = received(port, GET % b"slow" + b"\r\n", b"", b"late")
    assert said.endswith(b"late")
    assert not closed


def test_a_websocket_may_be_silent(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(GET % b"socket" + WEBSOCKET)
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 101 ")
        connection.settimeout(5 * SECONDS)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        connection.settimeout(20)
        connection.sendall(b"\x81\x82\0\0\0\0ok")
        assert connection.recv(1 << 16).startswith(b"\x81\x02ok")


def test_the_app_limits_bodies() -> None:
    """In a process of its own, because importing the app prepares the environment of its process."""
    program = "import app; print(*(each.cls.__name__ for each in app.app._user_middleware))"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True)
    assert security.SlowUploads.__name__ in done.stdout.split()
