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
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from sqlalchemy.exc import OperationalError

from core.adapters.sql.engine import open_engine

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
    server = _started(bin)
    atexit.register(server.__exit__, None, None, None)
    return server.__enter__()


@contextmanager
def _started(bin: Path) -> Iterator[str]:
    """The URL of a new server."""
    user: Any = {"user": _OTHER_USER, "group": _OTHER_USER, "extra_groups": []} if os.getuid() == 0 else {}
    folder = Path(tempfile.mkdtemp(prefix="postgres-"))
    if user:
        shutil.chown(folder, _OTHER_USER, _OTHER_USER)
    options = [f"-c{option}" for option in (*_FAST, "listen_addresses=", f"unix_socket_directories={folder}")]
    initdb = [
        str(bin / "initdb"),
        "-D",
        str(folder / "data"),
        "-U",
        "postgres",
        "-A",
        "trust",
        "-E",
        "UTF8",
        "--no-locale",
    ]
    try:
        subprocess.run([*initdb, "--no-sync"], cwd=folder, check=True, capture_output=True, **user)
        with (folder / "log").open("wb") as log:
            command = [str(bin / "postgres"), "-D", str(folder / "data"), *options]
            server = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, preexec_fn=_die_with_parent, **user)
        try:
            url = f"postgresql://postgres@/postgres?host={folder}"
            _wait_for(url)
            yield url
        finally:
            server.send_signal(signal.SIGINT)
            server.wait(_SECONDS)
    finally:
        shutil.rmtree(folder)


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGINT)


def _wait_for(url: str) -> None:
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
