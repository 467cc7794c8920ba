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
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy.exc import OperationalError

from core.platform.sql.engine import open_engine

_SECONDS = 60
_DIE_WITH_PARENT = 1
"""PR_SET_PDEATHSIG: a killed test process leaves no server behind."""
_FAST = ("fsync=off", "full_page_writes=off", "synchronous_commit=off", "max_connections=40", "shared_buffers=16MB")
_OTHER_USER = "postgres"
"""Postgres refuses to run as root."""


@cache
def programs() -> Path | None:
    """Where initdb and postgres are; the newest of several."""
    found = shutil.which("initdb")
    folders = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"))
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

    def __init__(self, bin: Path, most_megabytes: int = 0) -> None:
        """most_megabytes: of its data without the log of writes, on a disk of its own; only root can make that."""
        self._bin = bin
        self._user: Any = {"user": _OTHER_USER, "group": _OTHER_USER, "extra_groups": []} if os.getuid() == 0 else {}
        self._folder = Path(tempfile.mkdtemp(prefix="postgres-"))
        self._server: subprocess.Popen[bytes] | None = None
        self.data = self._folder / "data"
        self._is_mounted = False
        self.url = f"postgresql://postgres@/postgres?host={self._folder}"
        if self._user:
            shutil.chown(self._folder, _OTHER_USER, _OTHER_USER)
        initdb = [str(bin / "initdb"), "-D", str(self._folder / "data"), "-U", "postgres", "-A", "trust"]
        initdb += ["-E", "UTF8", "--no-locale", "--no-sync"]
        try:
            if most_megabytes:
                self._mount(most_megabytes)
                initdb += ["--waldir", str(self._folder / "log-of-writes")]
            subprocess.run(initdb, cwd=self._folder, check=True, capture_output=True, **self._user)
        except BaseException:
            self._clear()
            raise

    def _mount(self, megabytes: int) -> None:
        self.data.mkdir()
        options = f"size={megabytes}m,uid={_OTHER_USER},gid={_OTHER_USER},mode=0700"
        subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", self.data], check=True, capture_output=True)
        self._is_mounted = True

    def start(self, *more: str) -> None:
        """more: options that win over those here, as `name=value`."""
        own = (*_FAST, "listen_addresses=", f"unix_socket_directories={self._folder}", *more)
        options = [f"-c{option}" for option in own]
        command = [str(self._bin / "postgres"), "-D", str(self._folder / "data"), *options]
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

    def remove(self) -> None:
        try:
            self.stop()
        finally:
            self._clear()

    def _clear(self) -> None:
        if self._is_mounted:
            subprocess.run(["umount", self.data], check=True)
        shutil.rmtree(self._folder)


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
