"""A small threaded HTTP server on 127.0.0.1 that records what it is asked and can be slow, broken or rude."""

import json
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Recorded:
    """A request as it arrived; the body is {} where it was no JSON object."""

    method: str
    path: str
    headers: Mapping[str, str]
    """Names in lower case."""
    body: dict[str, Any]
    client_port: int
    """Requests of one connection share it."""
    raw: bytes = b""


class Wire:
    """One response under way. Writing ends quietly when the client has gone."""

    def __init__(self, handler: BaseHTTPRequestHandler, closing: threading.Event) -> None:
        self._handler = handler
        self._closing = closing
        self._chunked = False

    def send(self, status: int, body: bytes, media_type: str, headers: Mapping[str, str] | None = None) -> None:
        self._begin(status, {"Content-Type": media_type, "Content-Length": str(len(body)), **(headers or {})})
        self.raw(b"" if self._handler.command == "HEAD" else body)

    def send_json(self, status: int, body: Any, headers: Mapping[str, str] | None = None) -> None:
        self.send(status, json.dumps(body).encode(), "application/json", headers)

    def begin_events(self) -> None:
        """Server-sent events; finish() ends them as a whole, its absence cuts them."""
        self._begin(200, {"Content-Type": "text/event-stream; charset=utf-8", "Transfer-Encoding": "chunked"})
        self._chunked = True

    def event(self, data: Any) -> None:
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
        self.chunk(f"data: {text}\n\n".encode("utf-8", "backslashreplace"))  # the escape is JSON for a lone surrogate

    def chunk(self, data: bytes) -> None:
        self.raw(b"%x\r\n%s\r\n" % (len(data), data))

    def finish(self) -> None:
        self.raw(b"0\r\n\r\n")

    def cut(self) -> None:
        self._handler.close_connection = True

    def raw(self, data: bytes) -> None:
        """Raises ConnectionError when the client has gone or the server closes."""
        if self._closing.is_set():
            raise ConnectionAbortedError
        self._handler.wfile.write(data)
        self._handler.wfile.flush()

    def pause(self, seconds: float) -> None:
        """Raises ConnectionError when the server closes meanwhile."""
        if self._closing.wait(seconds):
            raise ConnectionAbortedError

    def _begin(self, status: int, headers: Mapping[str, str]) -> None:
        self._handler.send_response(status)
        for name, value in headers.items():
            self._handler.send_header(name, value)
        self._handler.end_headers()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is no error of the server's."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class Loopback:
    """Use as a context manager; subclasses answer requests. requests holds all of them in order."""

    def __init__(self, port: int = 0) -> None:
        self.requests: list[Recorded] = []
        self._closing = threading.Event()
        self._http = _Server(("127.0.0.1", port), self._handler())
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_port}"

    def answer(self, request: Recorded, wire: Wire) -> None:
        raise NotImplementedError

    def serve(self) -> None:
        """In this thread, until interrupted."""
        self._http.serve_forever()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Recorded(self.command, self.path, headers, _object(body), self.client_address[1], body)
                server.requests.append(request)
                try:
                    server.answer(request, Wire(self, server._closing))
                except ConnectionError:
                    self.close_connection = True

            do_GET = do_PUT = do_HEAD = do_POST

            def log_message(self, format: str, *args: object) -> None:
                """Quiet."""

        return Handler


def _object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
