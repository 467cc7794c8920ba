"""An engine whose runtime is a tiny HTTP server; its model's file says how it behaves, as words separated by spaces.

`slow`: loading takes until a file `go` is beside it. `broken`: it ends while loading. `hidden`: no health is told.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from core.models.local.engine_process import run
from core.models.local.engine_record import EngineOrder, EngineRecord


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    loaded = False
    key = ""

    def do_GET(self) -> None:
        self._answer(200 if self.loaded else 503, {"status": "ok"})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers["Authorization"] != f"Bearer {self.key}":
            return self._answer(401, {})
        text = asked["messages"][-1]["content"]
        if text == "die":
            os._exit(9)
        if asked.get("return_progress"):
            return self._stream(f"{os.getpid()} heard {text}")
        message = {"role": "assistant", "content": f"{os.getpid()} heard {text}"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return self._answer(200, {"choices": [choice], "usage": {"prompt_tokens": 3, "completion_tokens": 2}})

    def _stream(self, text: str) -> None:
        """The prompt is read in two halves."""
        said = [
            {"delta": {"role": "assistant", "content": None}},
            {"delta": {"content": text}, "finish_reason": "stop"},
        ]
        read = [{"choices": said[:1], "prompt_progress": {"total": 40, "cache": 0, "processed": n}} for n in (20, 40)]
        body = b"".join(f"data: {json.dumps(each)}\n\n".encode() for each in (*read, {"choices": said[1:]}))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass

    def _answer(self, status: int, value: object) -> None:
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def serve(order: EngineOrder, record: EngineRecord) -> Callable[[], bool]:
    path = Path(order.path)
    words = path.read_bytes().rpartition(b"|")[2].decode().split()
    Handler.key = record.key
    server = ThreadingHTTPServer(("127.0.0.1", record.port), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    with (path.parent / "starts.txt").open("a") as starts:
        starts.write(f"{os.getpid()}\n")
    if "broken" in words:
        os._exit(7)
    while "slow" in words and not (path.parent / "go").exists():
        time.sleep(0.02)
    Handler.loaded = True
    return lambda: False


if __name__ == "__main__":
    run(serve, sys.argv[1:])
