"""A program that announces a body and does not send it holds no connection for ever."""

import socket
import time
from contextlib import suppress
from urllib.parse import urlsplit

import pytest

from core.interfaces.http import slow_bodies
from core.people.api_keys import KeyScope

SECONDS = 0.5


@pytest.mark.parametrize("drip", [b"", b" "])
@pytest.mark.parametrize("path", ["/api/v1/ask", "/v1/chat/completions", "/mcp"])
def test_a_body_that_does_not_come_is_refused_and_the_connection_closed(
    server: str, secrets: dict[KeyScope, str], monkeypatch: pytest.MonkeyPatch, path: str, drip: bytes
) -> None:
    monkeypatch.setattr(slow_bodies, "BODY_SECONDS", SECONDS)
    head = [
        f"POST {path} HTTP/1.1",
        "Host: localhost",
        f"Authorization: Bearer {secrets[KeyScope.ADMIN]}",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        "Content-Length: 500",
    ]
    began, said = time.monotonic(), b""
    with socket.create_connection(("127.0.0.1", urlsplit(server).port or 0), timeout=0.05) as connection:
        connection.sendall("\r\n".join([*head, "", ""]).encode())
        while time.monotonic() - began < 20:
            try:
                if not (piece := connection.recv(1 << 16)):
                    break
                said += piece
            except TimeoutError:
                with suppress(ConnectionError):  # it was closed; what was said before is read next
                    connection.sendall(drip)
            except ConnectionError:
                break
    assert time.monotonic() - began < 20
    assert said.startswith(b"HTTP/1.1 408 "), said
    assert b"did not come" in said
