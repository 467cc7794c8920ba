"""Documents read by the user's own MinerU server, versions 2.x, 3.x and 4.x, detected automatically."""

import json
import re
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from core.documents.parsing.docvortex.blocks import content_blocks
from core.documents.parsing.mineru.http import MineruHttp, json_of
from core.documents.parsing.mineru.jobs import REVISION, JobNotes, job_key, wait
from core.documents.ports.parsing import Parsed, Progress
from core.documents.reading.content_list import ListedBlock, listed
from core.documents.reading.inspection import inspect_file
from core.documents.reading.result_import import parsed_list
from core.models.meter import Cancel, Uncancelled
from core.platform.errors import ConfigurationError, InputError, RetryableServiceError, ServiceError

TYPES = frozenset(["pdf", "png", "jpg", "jp2", "webp", "gif", "bmp", "docx", "pptx", "xlsx"])
WAIT_SECONDS = 4 * 3600.0
_POLL_SECONDS = 1.0
_UPLOAD_SECONDS = 600.0
_LONGEST_REASON = 200
_ID = re.compile(r"[A-Za-z0-9_-]{1,80}")


@dataclass(frozen=True, slots=True)
class Server:
    major: int
    """2, 3 or 4: the API version."""
    version: str


@dataclass(frozen=True, slots=True)
class _Turn:
    http: MineruHttp
    path: Path
    name: str
    sent_name: str
    """Chosen by us, so that the document's real name is not sent."""
    jobs: JobNotes
    cancel: Cancel
    ends_at: float
    poll_seconds: float


class MineruServerParser:
    """DocumentParser for a server without accounts in the user's own network.

    A task of 3.x or 4.x in progress is resumed after a crash by its number; 2.x has no tasks.
    """

    name = "mineru-server"
    identity = f"mineru-server {REVISION}"

    def __init__(
        self, base_url: str, work: Path, poll_seconds: float = _POLL_SECONDS, wait_seconds: float = WAIT_SECONDS
    ) -> None:
        """`work` is the folder for task numbers. Raises ConfigurationError without a usable address."""
        if not base_url.strip():
            raise ConfigurationError("mineru.service.no_server")
        self._base_url = base_url.strip().rstrip("/").removesuffix("/v1")
        self._jobs = JobNotes(work)
        self._poll_seconds = poll_seconds
        self._wait_seconds = wait_seconds
        MineruHttp(self._base_url).close()

    def probe(self) -> str:
        """The server's version. Raises ServiceError with the remedy."""
        with closing(MineruHttp(self._base_url)) as http:
            return f"MinerU {server_of(http, Uncancelled()).version}"

    def parse(self, path: Path, name: str, media_type: str, cancel: Cancel, progress: Progress) -> Parsed:
        del media_type
        form = inspect_file(path, name)
        if form.suffix not in TYPES:
            raise InputError("mineru.service.type", name=name)
        progress(0, 0)
        with closing(MineruHttp(self._base_url)) as http:
            server = server_of(http, cancel)
            ends_at = time.monotonic() + self._wait_seconds
            sent_name = f"document.{form.suffix}"
            turn = _Turn(http, path, name, sent_name, self._jobs, cancel, ends_at, self._poll_seconds)
            found = _read_2(turn) if server.major not in _TASKS else _read_by_task(turn, _TASKS[server.major])
        return parsed_list([found], f"MinerU {server.version}", name)


def server_of(http: MineruHttp, cancel: Cancel) -> Server:
    """Detected from its health endpoint. Raises ServiceError if it is not MinerU."""
    newest = http.call("GET", "/v1/health", cancel)
    if newest.status_code == 200:
        return Server(4, _said(json_of(newest), "version"))
    health = http.call("GET", "/health", cancel)
    if health.status_code == 503:
        raise RetryableServiceError("mineru.service.unavailable")
    if health.status_code == 200:
        found = json_of(health)
        if isinstance(found, dict) and "protocol_version" in found:
            return Server(3, _said(found, "version"))
        raise ServiceError("mineru.service.not_mineru")
    if http.call("POST", "/file_parse", cancel, data={}).status_code == 422:
        return Server(2, "2.x")
    raise ServiceError("mineru.service.not_mineru")


def _read_2(turn: _Turn) -> ListedBlock:
    """One request, held open until the document is read."""
    seconds = max(1.0, turn.ends_at - time.monotonic())
    response = _sent(turn, "/file_parse", seconds, data=_FIELDS)
    if response.status_code != 200:
        raise _failure(response, turn.name)
    return _listed(json_of(response), turn.name)


@dataclass(frozen=True, slots=True)
class _Tasks:
    """How a version accepts tasks and returns their results."""

    send: Callable[[_Turn], httpx2.Response]
    result: str
    """Address of the result of {task}."""
    read: Callable[[Any, str], ListedBlock]
    """(response, the document's name) -> its blocks."""


def _read_by_task(turn: _Turn, tasks: _Tasks) -> ListedBlock:
    """Raises what the server reports.

    A task is forgotten once it has ended, but not while the server is unreachable.
    """
    key = job_key(turn.path, turn.http.base_url, tasks.result)
    task = turn.jobs.known(key)
    response = _waited(turn, tasks, task) if task else None
    if response is None or response.status_code == 404:  # the server has lost it
        task = _sent_task(turn, tasks)
        turn.jobs.note(key, task)
        response = _waited(turn, tasks, task)
    if response.status_code != 200:
        error = _failure(response, turn.name)
        if response.status_code == 404 or not error.retryable:
            turn.jobs.forget(key)
        raise error
    turn.jobs.forget(key)
    return tasks.read(json_of(response), turn.name)


def _sent_task(turn: _Turn, tasks: _Tasks) -> str:
    response = tasks.send(turn)
    if response.status_code not in (200, 202):
        raise _failure(response, turn.name)
    return _task(json_of(response))


def _waited(turn: _Turn, tasks: _Tasks, task: str) -> httpx2.Response:
    """The first response other than "wait". Raises RetryableServiceError if the server cannot be reached."""
    while True:
        response = turn.http.call("GET", tasks.result.format(task=task), turn.cancel, _UPLOAD_SECONDS)
        if response.status_code != 202:
            return response
        if not wait(turn.poll_seconds, turn.ends_at, turn.cancel):
            raise ServiceError("mineru.service.timeout")


def _send_3(turn: _Turn) -> httpx2.Response:
    return _sent(turn, "/tasks", _UPLOAD_SECONDS, data=_FIELDS)


def _send_4(turn: _Turn) -> httpx2.Response:
    """A server with only the flash tier reads PDFs when exactly that tier is requested."""
    query = "/v1/tasks?output_formats=middle_json"
    response = _sent(turn, query, _UPLOAD_SECONDS)
    if response.status_code == 503 and "quality_tier_unavailable" in response.text:
        response = _sent(turn, f"{query}&tier=flash", _UPLOAD_SECONDS)
    return response


_FIELDS = {"return_content_list": "true", "return_md": "false", "return_images": "false", "lang_list": "ch"}


def _sent(turn: _Turn, where: str, seconds: float, **parts: Any) -> httpx2.Response:
    with turn.path.open("rb") as file:
        files = {"files": (turn.sent_name, file, "application/octet-stream")}
        return turn.http.call("POST", where, turn.cancel, seconds, files=files, **parts)


def _listed(found: Any, name: str) -> ListedBlock:
    """The response contains the content list as a string of JSON."""
    del name
    results = found.get("results") if isinstance(found, dict) else None
    if not isinstance(results, dict) or not results:
        raise ServiceError("mineru.service.malformed")
    first = next(iter(results.values()))
    content = first.get("content_list") if isinstance(first, dict) else None
    try:
        entries = json.loads(content) if isinstance(content, str) else content
    except ValueError as error:
        raise ServiceError("mineru.service.malformed") from error
    if not isinstance(entries, list):
        raise ServiceError("mineru.service.malformed")
    return listed(entries)


def _middle(found: Any, name: str) -> ListedBlock:
    try:
        file = found["files"][0]
        if file.get("error"):
            raise ServiceError("mineru.service.failed", name=name, code="-", reason=_clean(file["error"]))
        return _listed_pages(file["content"]["middle_json"]["pages"])
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
        raise ServiceError("mineru.service.malformed") from error


_TASKS = {
    3: _Tasks(_send_3, "/tasks/{task}/result", _listed),
    4: _Tasks(_send_4, "/v1/tasks/{task}/result?response_format=json", _middle),
}


def _failure(response: httpx2.Response, name: str) -> ServiceError:
    """The server's message, in any of its versions' formats."""
    status = response.status_code
    try:
        found = response.json()
    except ValueError:
        found = {}
    said = found if isinstance(found, dict) else {}
    reason = _clean(said.get("error") or said.get("detail") or said.get("message") or "")
    if status == 404:
        return RetryableServiceError("mineru.service.restarted")
    if status in (401, 403):
        return ServiceError("mineru.service.server_key")
    if status == 409 or 400 <= status < 429 or "parse_failed" in reason:
        return ServiceError("mineru.service.failed", name=name, code=status, reason=reason or "-")
    return RetryableServiceError("mineru.service.unavailable")


def _clean(said: object) -> str:
    if isinstance(said, dict):
        said = said.get("message") or said.get("code") or ""
    return " ".join(str(said).split())[:_LONGEST_REASON]


def _task(found: Any) -> str:
    task = found.get("task_id") if isinstance(found, dict) else None
    if not isinstance(task, str) or not _ID.fullmatch(task):
        raise ServiceError("mineru.service.malformed")
    return task


def _said(found: Any, field: str) -> str:
    return str(found.get(field) or "?")[:40] if isinstance(found, dict) else "?"


def _listed_pages(pages: Any) -> ListedBlock:
    """Pages of docvortex.middle 2.0, the format of the embedded engine.

    Raises KeyError, TypeError, ValueError or AttributeError for a damaged one.
    """
    blocks = tuple(content_blocks(pages, has_pages=True))
    boxed = any(block.box for block in blocks)
    last = max((block.page for block in blocks), default=0)
    return ListedBlock(blocks, max(len(pages), last + 1) if boxed or last else 0, 0)
