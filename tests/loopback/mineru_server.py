"""MinerU servers of versions 2, 3 and 4 as doubles, each with the interface and the errors of its own."""

import json
from collections.abc import Sequence
from typing import Any

from tests.loopback.server import Loopback, Recorded, Wire

LIST = [{"type": "text", "text": "Read on this machine.", "page_idx": 0, "bbox": [1, 2, 300, 40]}]
_BLOCK = {"type": "text", "bbox": [0.1, 0.1, 0.9, 0.2], "content": "Read by the native engine."}
MIDDLE = {"schema": "docvortex.middle", "pages": [{"page_idx": 1, "blocks": [_BLOCK]}]}
_NO_TIER = {"error": {"type": "engine_error", "code": "quality_tier_unavailable", "message": "no such tier"}}


class MineruServer(Loopback):
    """A task is done when it was asked for `asks` times; `results` (status, body) are used up in order first."""

    def __init__(
        self, major: int, asks: int = 1, results: Sequence[tuple[int, Any]] = (), flash_only: bool = False
    ) -> None:
        super().__init__()
        self.major = major
        self.asks = asks
        self.results = list(results)
        self.flash_only = flash_only
        self.asked = 0

    def answer(self, request: Recorded, wire: Wire) -> None:
        path = request.path.split("?")[0]
        if self.major == 4:
            self._four(request, path, wire)
        elif self.major == 3:
            self._three(request, path, wire)
        elif path == "/file_parse" and request.method == "POST":
            self._two(request, wire)
        else:
            wire.send_json(404, {"detail": "Not Found"})

    def _two(self, request: Recorded, wire: Wire) -> None:
        if b"document." not in request.raw:
            wire.send_json(422, {"detail": [{"loc": ["body", "files"], "msg": "field required"}]})
        else:
            self._result(wire, {"backend": "pipeline", "version": "2.6.4", "results": _results()})

    def _three(self, request: Recorded, path: str, wire: Wire) -> None:
        if path == "/health":
            wire.send_json(200, {"status": "healthy", "version": "3.4.5", "protocol_version": 2})
        elif path == "/tasks" and b'name="return_content_list"' in request.raw:
            wire.send_json(202, {"task_id": "215e18cc-3fed", "status": "pending", "queued_ahead": 0})
        elif path == "/tasks/215e18cc-3fed/result":
            self.asked += 1
            if self.asked <= self.asks:
                wire.send_json(202, {"status": "processing", "message": "Task result is not ready yet"})
            else:
                self._result(wire, {"status": "completed", "version": "3.4.5", "results": _results()})
        else:
            wire.send_json(404, {"detail": "Not Found"})

    def _four(self, request: Recorded, path: str, wire: Wire) -> None:
        if path == "/v1/health":
            wire.send_json(200, {"status": "ok", "version": "4.0.12", "features": {"sources": ["inline"]}})
        elif path == "/v1/tasks" and self.flash_only and "tier=flash" not in request.path:
            wire.send_json(503, _NO_TIER)
        elif path == "/v1/tasks":
            wire.send_json(202, {"task_id": "job_ed41", "status": "queued", "files": []})
        elif path == "/v1/tasks/job_ed41/result":
            self.asked += 1
            if self.asked <= self.asks:
                wire.send_json(202, {"task_id": "job_ed41", "status": "running"})
            else:
                file = {"file_id": "file-1", "status": "completed", "error": None, "content": {"middle_json": MIDDLE}}
                self._result(wire, {"status": "completed", "files": [file]})
        else:
            wire.send_json(404, {"detail": "Not Found"})

    def _result(self, wire: Wire, good: Any) -> None:
        status, body = self.results.pop(0) if self.results else (200, good)
        wire.send_json(status, body)


def _results() -> dict[str, Any]:
    """The list is a text of JSON within the JSON."""
    return {"document": {"content_list": json.dumps(LIST)}}
