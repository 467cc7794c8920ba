"""Documents read by MinerU's cloud (API v4): upload, wait, download. The document leaves this machine."""

import json
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from core.adapters.mineru_errors import JobGoneError, data_of, error_of
from core.adapters.mineru_http import MineruHttp
from core.adapters.mineru_result import REVISION
from core.adapters.pdf_parts import Part, pdf_parts
from core.errors import CancelledError, ConfigurationError, InputError, RetryableServiceError, ServiceError
from core.ingest.content_list import Listed, listed
from core.ingest.inspect import inspect_file
from core.ingest.result_import import parsed_list
from core.ingest.result_zip import read_result
from core.ports import Cancel, Parsed, Progress

BASE_URL = "https://mineru.net/api/v4"
MODEL = "vlm"
PAGES_PER_FILE = 200
MOST_MEGABYTES = 200
TYPES = frozenset(("pdf", "png", "jpg", "jp2", "webp", "gif", "bmp", "doc", "docx", "ppt", "pptx", "xls", "xlsx"))
WAIT_SECONDS = 3_600.0
DOWNLOADS = 3
_POLL_SECONDS = (2.0, 30.0)
"""The first wait between two questions, and the longest."""
_STATE_DONE, _STATE_FAILED = "done", "failed"


@dataclass(frozen=True, slots=True)
class _Turn:
    """One document under way."""

    http: MineruHttp
    name: str
    cancel: Cancel
    progress: Progress
    ends_at: float


class MineruCloudParser:
    """DocumentParser; a job that was begun is gone on with after a crash, by the number of its batch."""

    name = "mineru-cloud"
    identity = f"mineru-cloud {MODEL} {REVISION}"

    def __init__(
        self,
        token: str,
        base_url: str,
        work: Path,
        first_wait: float = _POLL_SECONDS[0],
        wait_seconds: float = WAIT_SECONDS,
    ) -> None:
        """work: folder for the numbers of batches. Raises ConfigurationError without a token or a usable address."""
        if not token.strip():
            raise ConfigurationError("mineru.service.no_token")
        self._token = token.strip()
        self._base_url = base_url.strip() or BASE_URL
        self._jobs = work / "mineru"
        self._first_wait = first_wait
        self._wait_seconds = wait_seconds
        MineruHttp(self._base_url, self._token).close()

    def probe(self) -> str:
        """Asks for a batch that there is not: a good token is told so. Raises ServiceError with the remedy."""
        with _opened(self._base_url, self._token) as http:
            response = http.call("GET", "/extract-results/batch/00000000-0000-0000-0000-000000000000", _Never())
            try:
                data_of(response, "")
            except JobGoneError:
                return self._base_url
            except InputError as error:
                raise ServiceError("mineru.service.malformed") from error
        return self._base_url

    def parse(self, path: Path, name: str, media_type: str, cancel: Cancel, progress: Progress) -> Parsed:
        del media_type
        form = inspect_file(path, name)
        if form.suffix not in TYPES:
            raise InputError("mineru.service.type", name=name)
        if path.stat().st_size > MOST_MEGABYTES * 1_000_000:
            raise InputError("mineru.service.too_large", name=name)
        self._jobs.mkdir(parents=True, exist_ok=True)
        with _opened(self._base_url, self._token) as http, tempfile.TemporaryDirectory(dir=self._jobs) as folder:
            turn = _Turn(http, name, cancel, progress, time.monotonic() + self._wait_seconds)
            parts = (
                pdf_parts(path, name, PAGES_PER_FILE, Path(folder), cancel)
                if form.suffix == "pdf"
                else [Part(path, 0, 0)]
            )
            pages = sum(part.pages for part in parts)
            key = _job_key(path, self._base_url)
            jobs = [self._jobs / f"{key}-{part.first}.json" for part in parts]
            read = [self._read(turn, part, job, form.suffix, pages) for part, job in zip(parts, jobs, strict=True)]
        for job in jobs:  # only now: after a crash the parts that are done are fetched, not sent again
            job.unlink(missing_ok=True)
        made = parsed_list(read, f"MinerU cloud ({MODEL})", name)
        return replace(made, pages=max(pages, made.pages))

    def _read(self, turn: _Turn, part: Part, job: Path, suffix: str, pages: int) -> Listed:
        """A file of its own for the service, whose pages count from 0: what comes back is shifted by us."""
        shown = _shifted(turn, part.first, pages)
        try:
            batch = _known_batch(job) or self._upload(shown, part.path, suffix, job)
            address = self._finished(shown, batch)
        except JobGoneError:
            job.unlink(missing_ok=True)
            address = self._finished(shown, self._upload(shown, part.path, suffix, job))
        except (InputError, ServiceError) as error:
            if not isinstance(error, RetryableServiceError):
                job.unlink(missing_ok=True)  # asked again, it would only fail again
            raise
        return self._fetched(turn, address, part.first)

    def _upload(self, turn: _Turn, path: Path, suffix: str, job: Path) -> str:
        """The number of the batch, noted once the bytes are there."""
        request = {
            "files": [{"name": f"document.{suffix}", "data_id": job.stem, "is_ocr": False}],
            "model_version": MODEL,
            "enable_formula": True,
            "enable_table": True,
            "language": "ch",
        }
        data = data_of(turn.http.call("POST", "/file-urls/batch", turn.cancel, json=request), turn.name)
        batch, links = data.get("batch_id"), data.get("file_urls")
        if not isinstance(batch, str) or not isinstance(links, list) or not links or not isinstance(links[0], str):
            raise ServiceError("mineru.service.malformed")
        status = turn.http.upload(links[0], path, turn.cancel)
        if status not in (200, 201, 204):
            raise RetryableServiceError("mineru.service.upload")
        job.write_text(json.dumps({"batch_id": batch}), encoding="utf-8")
        return batch

    def _finished(self, turn: _Turn, batch: str) -> str:
        """Address of the result. Unknown states are work under way, until the time is over."""
        wait = self._first_wait
        while True:
            data = data_of(turn.http.call("GET", f"/extract-results/batch/{_safe(batch)}", turn.cancel), turn.name)
            entry = _entry(data)
            state = entry.get("state")
            if state == _STATE_DONE:
                address = entry.get("full_zip_url")
                if not isinstance(address, str) or not address:
                    raise ServiceError("mineru.service.malformed")
                return address
            if state == _STATE_FAILED:
                raise error_of(str(entry.get("err_code") or "-60010"), entry.get("err_msg"), turn.name)
            _tell(turn, entry.get("extract_progress"))
            _sleep(turn, wait)
            wait = min(wait * 2, _POLL_SECONDS[1])

    def _fetched(self, turn: _Turn, address: str, first_page: int) -> Listed:
        attempt = 1
        with tempfile.NamedTemporaryFile(dir=self._jobs, suffix=".zip") as file:
            while True:
                try:
                    turn.http.download(address, file, turn.cancel)
                    break
                except RetryableServiceError:
                    if attempt >= DOWNLOADS:
                        raise
                    _sleep(turn, self._first_wait)
                    attempt += 1
            file.flush()
            return listed(read_result(Path(file.name), turn.name), first_page)


class _Never:
    def requested(self) -> bool:
        return False


class _opened:
    """The service for the length of a block."""

    def __init__(self, base_url: str, token: str) -> None:
        self._http = MineruHttp(base_url, token)

    def __enter__(self) -> MineruHttp:
        return self._http

    def __exit__(self, *_: object) -> None:
        self._http.close()


def _job_key(path: Path, base_url: str) -> str:
    digest = sha256(f"{base_url} {MODEL} {REVISION} ".encode())
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()


def _known_batch(job: Path) -> str:
    try:
        found = json.loads(job.read_text(encoding="utf-8"))
        return str(found["batch_id"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def _safe(batch: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "", batch)


def _entry(data: dict[str, Any]) -> dict[str, Any]:
    """Of our one file."""
    found = data.get("extract_result")
    if not isinstance(found, list) or not found or not isinstance(found[0], dict):
        raise ServiceError("mineru.service.malformed")
    return found[0]


def _tell(turn: _Turn, progress: object) -> None:
    if isinstance(progress, dict):
        done, total = progress.get("extracted_pages"), progress.get("total_pages")
        if isinstance(done, int) and isinstance(total, int) and 0 <= done <= total:
            turn.progress(done, total)


def _shifted(turn: _Turn, first: int, pages: int) -> _Turn:
    """Progress of a part as that of the whole document."""
    tell: Callable[[int, int], None] = turn.progress
    return replace(turn, progress=lambda done, total: tell(first + done, pages or total))


def _sleep(turn: _Turn, seconds: float) -> None:
    """Raises CancelledError when stopped, RetryableServiceError when the time is over: the job goes on there."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        if turn.cancel.requested():
            raise CancelledError("error.cancelled")
        if time.monotonic() > turn.ends_at:
            raise RetryableServiceError("mineru.service.timeout")
        time.sleep(min(left, 0.2))
