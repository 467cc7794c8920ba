"""A Postgres for the tests: the one that TEST_POSTGRES_URL names, or Debian's own, started on an empty folder.

Started by one test process for itself, without waiting for the disk; it listens on a socket in a folder only.
"""

import atexit
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy.exc import OperationalError

from core.platform.sql.engine import open_engine

_SECONDS = 60
_DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG: a killed test process leaves no server behind."""
_SMALL = ("max_connections=40", "shared_buffers=16MB", "dynamic_shared_memory_type=mmap")
_FAST = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", *_SMALL)
DATA, LOG = "data", "log-of-writes"
"""Folders of a server: its tables, and its write-ahead log."""
_OTHER_USER = "postgres"
"""Postgres refuses to run as root."""


@cache
def programs() -> Path | None:
    """Where initdb and postgres are; the newest of several."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    return folders[-1] if folders and sys.platform == "linux" else None


@cache
def postgres_url() -> str:
    """Empty where there is none."""
    given, bin = os.environ.get("TEST_POSTGRES_URL", ""), programs()
    if given or not bin:
        return given
    server = PostgresServer(bin)
    atexit.register(server.remove)
    server.start()
    return server.url


class PostgresServer:
    """On a folder of its own; remove() when done."""

    def __init__(
        self, bin: Path, small: str = "", megabytes: int = 0, port: int = 0, follows: "PostgresServer | None" = None
    ) -> None:
        """small: DATA or LOG, on a disk of its own of so many megabytes; only root can make that.

        port: of this machine, beside the socket. follows: the running server that this one stands by for.
        """
        self._bin = bin
        self._user: Any = {"user": _OTHER_USER, "group": _OTHER_USER, "extra_groups": []} if os.getuid() == 0 else {}
        self._folder = Path(tempfile.mkdtemp(prefix="postgres-"))
        self._server: subprocess.Popen[bytes] | None = None
        self._mounted: Path | None = None
        self.port = port
        self.url = f"postgresql://postgres@/postgres?host={self._folder}" + f"&port={port}" * bool(port)
        if self._user:
            shutil.chown(self._folder, _OTHER_USER, _OTHER_USER)
        make = [str(bin / "initdb"), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale"]
        if small == LOG:
            make += ["--wal-segsize", "1"]  # so that it is full soon
        if follows:
            make = [str(bin / "pg_basebackup"), "-d", follows.url, "--checkpoint=fast", "--write-recovery-conf"]
        make += ["-D", str(self.disk(DATA)), "--waldir", str(self.disk(LOG)), "--no-sync"]
        try:
            if small:
                self._mount(self.disk(small), megabytes)
            subprocess.run(make, cwd=self._folder, check=True, capture_output=True, **self._user)
        except BaseException:
            self._clear()
            raise

    def disk(self, name: str) -> Path:
        """Folder of DATA or LOG."""
        return self._folder / name

    def _mount(self, folder: Path, megabytes: int) -> None:
        folder.mkdir()
        options = f"size={megabytes}m,uid={_OTHER_USER},gid={_OTHER_USER},mode=0700"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=True, capture_output=True)
        self._mounted = folder

    def start(self, *more: str) -> None:
        """more: options that win over those here, as `name=value`."""
        address = ("listen_addresses=127.0.0.1", f"port={self.port}") if self.port else ("listen_addresses=",)
        own = (*_FAST, *address, f"unix_socket_directories={self._folder}", *more)
        options = [f"-c{option}" for option in own]
        command = [str(self._bin / "postgres"), "-D", str(self.disk(DATA)), *options]
        with (self._folder / "log").open("ab") as log:
            self._server = subprocess.Popen(
                command, cwd=self._folder, stdout=log, stderr=log, preexec_fn=_die_with_parent, **self._user
            )
        wait_for_postgres(self.url)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT ends its connections in good order, SIGQUIT breaks them off."""
        if self._server:
            self._server.send_signal(how)
            self._server.wait(_SECONDS)

    @property
    def runs(self) -> bool:
        return self._server is not None and self._server.poll() is None

    def lose_power(self) -> None:
        """Ends all its processes, none of which can say another word; a later start goes on from its disks."""
        if self._server:
            memory = (self.disk(DATA) / "postmaster.pid").read_text().splitlines()[6].split()[1]
            for each in [*family(self._server.pid)]:
                os.kill(each, signal.SIGKILL)
            self._server.wait(_SECONDS)
            subprocess.run(["ipcrm", "-m", memory], check=True)

    def remove(self) -> None:
        try:
            self.stop()
        finally:
            self._clear()

    def _clear(self) -> None:
        if self._mounted:
            subprocess.run(["umount", self._mounted], check=True)
        shutil.rmtree(self._folder)


def family(process: int) -> Iterator[int]:
    """The process and what it started."""
    yield process
    for children in Path(f"/proc/{process}/task").glob("*/children"):
        for child in children.read_text().split():
            yield from family(int(child))


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGINT)


def wait_for_postgres(url: str) -> None:
    """Raises OperationalError where it does not answer in time."""
    engine = open_engine(url)
    deadline = time.monotonic() + _SECONDS
    while True:
        try:
            engine.connect().close()
            engine.dispose()
            return
        except OperationalError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.05)
