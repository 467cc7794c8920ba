"""The app, served in a process of its own."""

import asyncio
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
QUIET_SECONDS = 3.0
PATIENCE = 60.0
"""Seconds until the app has to answer."""


@dataclass(frozen=True, slots=True)
class Served:
    port: int
    process: int

    @property
    def address(self) -> str:
        return f"http://localhost:{self.port}"

    def processor_seconds(self) -> float:
        """That the app's own process has taken so far, in all its threads; nothing of the processes it started."""
        fields = Path(f"/proc/{self.process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    async def settled(self) -> None:
        """Until it does nothing for a while: what it loads after its first page is there."""
        before = -1.0
        while self.processor_seconds() - before > 0.1:
            before = self.processor_seconds()
            await asyncio.sleep(QUIET_SECONDS)

    def megabytes(self) -> float:
        """Resident now."""
        status = Path(f"/proc/{self.process}/status").read_text(encoding="ascii")
        return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))) / 1024


@contextmanager
def serving(folder: Path, changes: Mapping[str, str] | None = None) -> Iterator[Served]:
    """On the data folder, with these changes to the environment."""
    port = free_port()
    app = start_app(port, {**os.environ, "GRAPHTALK_DATA": str(folder), **(changes or {})})
    try:
        until_it_answers(port, app)
        yield Served(port, app.pid)
    finally:
        app.terminate()
        app.wait(20)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start_app(port: int, environment: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
    command += ["--server.headless", "true"]
    return subprocess.Popen(
        command, cwd=ROOT, env=dict(environment), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )


def until_it_answers(port: int, app: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and app.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2):
                return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the app did not start")
