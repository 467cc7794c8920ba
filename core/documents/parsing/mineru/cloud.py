"""Documents read by MinerU's cloud (API v4): upload, wait, download. The document leaves this machine."""

import re
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from core.documents.parsing.mineru.errors import JobGoneError, data_of, error_of
from core.documents.parsing.mineru.http import MineruHttp
from core.documents.parsing.mineru.jobs import JobNotes, job_key, wait
from core.documents.parsing.mineru.parts import read_parts
from core.documents.parsing.mineru.result import REVISION
from core.documents.parsing.pdf.parts import PdfPart, pdf_parts
from core.documents.ports.parsing import Parsed, Progress
from core.documents.reading.content_list import ListedBlock, listed
from core.documents.reading.inspection import inspect_file
from core.documents.reading.result_import import parsed_list
from core.documents.reading.result_zip import read_result
from core.models.meter import Cancel, Uncancelled
from core.platform.errors import ConfigurationError, InputError, RetryableServiceError, ServiceError

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


@dataclass(frozen=True, slots=True)
class _Turn:
    """One document, or one part of it, in progress."""

    http: MineruHttp
    name: str
    key: str
    """Name of its job."""
    folder: Path
    """Address of its result, until it is read."""
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
        """Requests a batch that does not exist, which a valid token is told. Raises ServiceError with the remedy."""
        with _opened(self._base_url, self._token) as http:
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
        with _opened(self._base_url, self._token) as http, tempfile.TemporaryDirectory(dir=self._work) as folder:
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
        pause = self._first_wait
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


class _opened:
    """The service, open for the duration of a block."""

    def __init__(self, base_url: str, token: str) -> None:
        self._http = MineruHttp(base_url, token)

    def __enter__(self) -> MineruHttp:
        return self._http

    def __exit__(self, *_: object) -> None:
        self._http.close()


def _safe(batch: str) -> str:
    return re.sub(r"[^A-Za-z0-9_.-]", "", batch)


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
