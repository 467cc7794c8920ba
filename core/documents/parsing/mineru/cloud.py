"""Parses documents with MinerU's cloud (API v4): upload, wait, download. The document leaves this machine."""

import re
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.documents.parsing.mineru.http import JobGoneError, MineruHttp, data_of, error_of
from core.documents.parsing.mineru.jobs import REVISION, JobNotes, job_key, wait
from core.documents.parsing.pdf.child_tasks import PdfPart, pdf_parts
from core.documents.ports.parsing import Parsed, Progress
from core.documents.reading.content_list import ListedBlock, listed
from core.documents.reading.inspection import inspect_file
from core.documents.reading.result_import import parsed_list
from core.documents.reading.result_zip import read_result
from core.models.meter import Cancel, Uncancelled
from core.models.parallel import spread
from core.platform.errors import (
    AppError,
    CancelledError,
    ConfigurationError,
    InputError,
    RetryableServiceError,
    ServiceError,
)

BASE_URL = "https://mineru.net/api/v4"
MODEL = "vlm"
PAGES_PER_FILE = 200
MOST_MEGABYTES = 200
TYPES = frozenset(("pdf", "png", "jpg", "jp2", "webp", "gif", "bmp", "doc", "docx", "ppt", "pptx", "xls", "xlsx"))
WAIT_SECONDS = 3_600.0
DOWNLOADS = 3
_POLL_SECONDS = (2.0, 30.0)
"""The first and the longest pause between two polls."""
_STATE_DONE, _STATE_FAILED = "done", "failed"
PARTS_AT_ONCE = 3
ReadPart = Callable[[PdfPart, str, Cancel, Progress], ListedBlock]
"""(part, its name, cancel, progress in pages of the part) -> its blocks, with pages of the whole document."""


@dataclass(frozen=True, slots=True)
class _Turn:
    """A document, or a part of one, in progress."""

    http: MineruHttp
    name: str
    key: str
    """Name of its job."""
    folder: Path
    """Folder for its result."""
    cancel: Cancel
    progress: Progress
    ends_at: float


class MineruCloudParser:
    """DocumentParser. A job in progress is resumed after a crash by its batch number."""

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
        """`work` is the folder for parts, results and batch numbers.

        Raises ConfigurationError without a token or a usable address.
        """
        if not token.strip():
            raise ConfigurationError("mineru.service.no_token")
        self._token = token.strip()
        self._base_url = base_url.strip() or BASE_URL
        self._work = work
        self._jobs = JobNotes(work)
        self._first_wait = first_wait
        self._wait_seconds = wait_seconds
        MineruHttp(self._base_url, self._token).close()

    def probe(self) -> str:
        """Requests a batch that does not exist, which tests the token. Raises ServiceError with the remedy."""
        with closing(MineruHttp(self._base_url, self._token)) as http:
            response = http.call("GET", "/extract-results/batch/00000000-0000-0000-0000-000000000000", Uncancelled())
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
        key, ends_at = job_key(path, self._base_url, self.identity), time.monotonic() + self._wait_seconds
        self._work.mkdir(parents=True, exist_ok=True)
        with (
            closing(MineruHttp(self._base_url, self._token)) as http,
            tempfile.TemporaryDirectory(dir=self._work) as folder,
        ):
            parts = (
                pdf_parts(path, name, PAGES_PER_FILE, Path(folder), cancel)
                if form.suffix == "pdf"
                else [PdfPart(path, 0, 0)]
            )

            def read(part: PdfPart, called: str, stop: Cancel, tell: Progress) -> ListedBlock:
                turn = _Turn(http, called, f"{key}-{part.first}", Path(folder), stop, tell, ends_at)
                return self._read(turn, part, form.suffix)

            found = read_parts(parts, name, read, cancel, progress)
        for part in parts:  # only now: after a crash, finished parts are downloaded, not uploaded again
            self._jobs.forget(f"{key}-{part.first}")
        made = parsed_list(found, f"MinerU cloud ({MODEL})", name)
        return replace(made, pages=max(sum(part.pages for part in parts), made.pages))

    def _read(self, turn: _Turn, part: PdfPart, suffix: str) -> ListedBlock:
        """The service gets a separate file whose pages count from 0.

        The page numbers of the result are shifted back.
        """
        try:
            return self._fetched(turn, self._address(turn, part.path, suffix), part.first)
        except (InputError, ServiceError) as error:
            if not isinstance(error, RetryableServiceError):
                self._jobs.forget(turn.key)  # asked again, it would only fail again
            raise

    def _address(self, turn: _Turn, path: Path, suffix: str) -> str:
        """Address of the result, of a job started earlier or of a new one."""
        if batch := self._jobs.known(turn.key):
            with suppress(JobGoneError):
                return self._finished(turn, batch)
        return self._finished(turn, self._upload(turn, path, suffix))

    def _upload(self, turn: _Turn, path: Path, suffix: str) -> str:
        """The batch number, recorded after the upload."""
        request = {
            "files": [{"name": f"document.{suffix}", "data_id": turn.key, "is_ocr": False}],
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
        self._jobs.note(turn.key, batch)
        return batch

    def _finished(self, turn: _Turn, batch: str) -> str:
        """Address of the result. Unknown states count as in progress, until the time is up."""
        pause, address = self._first_wait, "/extract-results/batch/" + re.sub(r"[^A-Za-z0-9_.-]", "", batch)
        while True:
            data = data_of(turn.http.call("GET", address, turn.cancel), turn.name)
            entry = _entry(data)
            state = entry.get("state")
            if state == _STATE_DONE:
                result = entry.get("full_zip_url")
                if not isinstance(result, str) or not result:
                    raise ServiceError("mineru.service.malformed")
                return result
            if state == _STATE_FAILED:
                raise error_of(str(entry.get("err_code") or "-60010"), entry.get("err_msg"), turn.name)
            _tell(turn, entry.get("extract_progress"))
            _sleep(turn, pause)
            pause = min(pause * 2, _POLL_SECONDS[1])

    def _fetched(self, turn: _Turn, address: str, first_page: int) -> ListedBlock:
        attempt = 1
        with tempfile.NamedTemporaryFile(dir=turn.folder, suffix=".zip") as file:
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


def _entry(data: dict[str, Any]) -> dict[str, Any]:
    """The service's record of our only file."""
    found = data.get("extract_result")
    if not isinstance(found, list) or not found or not isinstance(found[0], dict):
        raise ServiceError("mineru.service.malformed")
    return found[0]


def _tell(turn: _Turn, progress: object) -> None:
    if isinstance(progress, dict):
        done, total = progress.get("extracted_pages"), progress.get("total_pages")
        if isinstance(done, int) and isinstance(total, int) and 0 <= done <= total:
            turn.progress(done, total)


def _sleep(turn: _Turn, seconds: float) -> None:
    """Raises CancelledError if stopped, RetryableServiceError if the time is up; the job itself continues."""
    if not wait(seconds, turn.ends_at, turn.cancel):
        raise RetryableServiceError("mineru.service.timeout")


def read_parts(
    parts: Sequence[PdfPart], name: str, read: ReadPart, cancel: Cancel, progress: Progress
) -> list[ListedBlock]:
    """Parts read in parallel, in order. The first failure, which names its pages, stops the others and is raised."""
    shared = _Shared(cancel, progress, sum(part.pages for part in parts))

    def one(part: PdfPart) -> ListedBlock | AppError:
        called = f"{name} (p. {part.first + 1}-{part.first + part.pages})" if len(parts) > 1 else name
        try:
            return read(part, called, shared, shared.progress_of(part))
        except AppError as error:
            shared.failed.set()
            return error

    results = spread(one, parts, PARTS_AT_ONCE, lambda _: None)
    errors = [result for result in results if isinstance(result, AppError)]
    causes = [error for error in errors if not isinstance(error, CancelledError)]
    if errors:
        raise (causes or errors)[0]
    return [result for result in results if isinstance(result, ListedBlock)]


class _Shared:
    """One stop signal for all parts, which a failing part also sets, and their total progress."""

    def __init__(self, cancel: Cancel, progress: Progress, pages: int) -> None:
        self._cancel = cancel
        self._progress = progress
        self._pages = pages
        self._lock = threading.Lock()
        self._done: dict[int, int] = {}
        self.failed = threading.Event()

    def requested(self) -> bool:
        return self.failed.is_set() or self._cancel.requested()

    def progress_of(self, part: PdfPart) -> Progress:
        def tell(done: int, total: int) -> None:
            with self._lock:
                self._done[part.first] = done
                self._progress(sum(self._done.values()), self._pages or total)

        return tell
