"""MinerU's cloud as a double: links, uploads, states, results, and everything that can go wrong on the way."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.loopback.server import Loopback, Recorded, Wire

TOKEN = "mineru-test-token"
STATES = ("waiting-file", "pending", "running", "converting", "done")


def result_zip(items: object, **others: bytes) -> bytes:
    """As the service packs it: the list beside a v2 list of another shape and the model's output."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("full.md", "# read")
        package.writestr("8f2a_content_list_v2.json", json.dumps([[{"type": "paragraph"}]]))
        package.writestr("8f2a_model.json", "[[1]]")
        if items is not None:
            package.writestr("8f2a_content_list.json", json.dumps(items, ensure_ascii=False))
        for name, data in others.items():
            package.writestr(name, data)
    return buffer.getvalue()


def text(words: str, page: int = 0) -> dict[str, Any]:
    return {"type": "text", "text": words, "page_idx": page, "bbox": [100, 100, 900, 140]}


@dataclass
class Fault:
    """What the service does instead of its work."""

    envelope: dict[str, Any] | None = None
    """Answer to the request for links."""
    status: int = 200
    html: bool = False
    entry: dict[str, Any] | None = None
    """Of the document, when the batch is asked for."""
    broken_downloads: int = 0
    zips: Mapping[int, bytes] = field(default_factory=dict)
    """Results by the first page of the part, which its data_id ends with."""
    forgets: bool = False
    """No batch is known: as after a loss on their side."""
    redirect: str = ""


@dataclass
class Job:
    first_page: int
    data: bytes = b""
    asked: int = 0


class MineruCloudServer(Loopback):
    """Every uploaded file becomes one block that says how many bytes it had, unless the fault brings zips."""

    def __init__(self, fault: Fault | None = None, states: Sequence[str] = STATES) -> None:
        super().__init__()
        self.fault = fault or Fault()
        self.states = states
        self.jobs: dict[str, Job] = {}
        self._numbers = count(1)

    @property
    def base_url(self) -> str:
        return f"{self.url}/api/v4"

    def uploads(self) -> list[Recorded]:
        return [request for request in self.requests if request.method == "PUT"]

    def answer(self, request: Recorded, wire: Wire) -> None:
        path = request.path.split("?")[0]
        refusal = {"success": False, "msgCode": "A0202", "msg": "user authenticate failed", "traceId": "t"}
        if request.method == "PUT":
            self._upload(request, wire)
        elif path.startswith("/cdn/"):
            self._download(path, wire)
        elif request.headers.get("authorization") != f"Bearer {TOKEN}":
            wire.send_json(401, refusal)
        elif self.fault.html:
            wire.send(200, b"<html>gateway</html>", "text/html")
        elif self.fault.status != 200:
            wire.send_json(self.fault.status, {})
        elif path.endswith("/file-urls/batch"):
            self._links(request, wire)
        else:
            self._state(path.rsplit("/", 1)[1], wire)

    def _links(self, request: Recorded, wire: Wire) -> None:
        if self.fault.envelope is not None:
            wire.send_json(200, self.fault.envelope)
            return
        batch = f"batch-{next(self._numbers)}"
        self.jobs[batch] = Job(int(request.body["files"][0]["data_id"].rsplit("-", 1)[1]))
        links = [f"{self.url}/upload/{batch}?signature=1" for _ in request.body["files"]]
        wire.send_json(200, _good({"batch_id": batch, "file_urls": links}))

    def _upload(self, request: Recorded, wire: Wire) -> None:
        if "content-type" in request.headers or "authorization" in request.headers:
            wire.send(403, b"<Error><Code>SignatureDoesNotMatch</Code></Error>", "application/xml")
            return
        batch = request.path.split("/")[-1].split("?")[0]
        self.jobs[batch].data = request.raw
        wire.send(200, b"", "text/plain", {"ETag": "1"})

    def _state(self, batch: str, wire: Wire) -> None:
        job = self.jobs.get(batch)
        if job is None or self.fault.forgets:
            wire.send_json(200, {"code": -60012, "msg": "task not found", "trace_id": "t"})
            return
        state = self.states[min(job.asked, len(self.states) - 1)]
        job.asked += 1
        entry: dict[str, Any] = {"file_name": "document.pdf", "state": state, "err_msg": ""}
        if state == "running":
            entry["extract_progress"] = {"extracted_pages": 1, "total_pages": 2, "start_time": "now"}
        if state == "done":
            entry["full_zip_url"] = f"{self.url}/cdn/{batch}.zip"
        wire.send_json(200, _good({"batch_id": batch, "extract_result": [self.fault.entry or entry]}))

    def _download(self, path: str, wire: Wire) -> None:
        if self.fault.broken_downloads > 0:
            self.fault.broken_downloads -= 1
            wire.send(502, b"bad", "text/plain")
        elif self.fault.redirect:
            wire.send(302, b"", "text/plain", {"Location": self.fault.redirect})
        else:
            job = self.jobs[path.removeprefix("/cdn/").removesuffix(".zip")]
            read = result_zip([text(f"{len(job.data)} bytes were read.")])
            wire.send(200, self.fault.zips.get(job.first_page, read), "application/zip")


def _good(data: dict[str, Any]) -> dict[str, Any]:
    return {"code": 0, "msg": "ok", "trace_id": "t", "data": data}
