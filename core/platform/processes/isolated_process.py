"""Child processes of this package; limited ones for hostile files: no keys, no output, ended with their parent.

Both sides exchange lines of JSON. The child writes to its standard output; its standard input closes with the parent.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock
from typing import IO, TextIO

import core
from core.platform.errors import ReadingEndedError

_KEPT = ("PATH", "LANG", "LC_ALL", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "HOME", "USERPROFILE")
"""Environment variables a child receives. Keys and service addresses are withheld from parsers."""
_LONGEST_LINE = 1_000_000
_OUTSIDE = ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT")
"""Signals that no fault of the child's own raises; the kernel sends the first when memory is short."""
_ENDING_SECONDS = 5.0
MOST_IDLE = 2
_ROOT = Path(core.__file__).parents[1]


class ChildEndedError(Exception):
    """The child closed its end: it finished, failed or was killed."""

    def __init__(self, status: int | None) -> None:
        """status: as of subprocess; None if the child has closed its end only."""
        super().__init__(f"status {status}")
        self._status = status

    def failure(self, name: str) -> ReadingEndedError:
        """Return the error for the file of this name, which says what is known of the end."""
        outside = {-getattr(signal, each) for each in _OUTSIDE if hasattr(signal, each)}
        key = "ingest.error.reading_ended" if self._status in outside else "ingest.error.parser_failed"
        return ReadingEndedError(key, name=name)


class Isolated:
    """A running `python -m module arguments...`; used by one thread at a time."""

    def __init__(self, module: str, arguments: Sequence[str], log: IO[bytes] | None = None) -> None:
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        environment["PYTHONPATH"] = python_path()
        self.process = subprocess.Popen(  # noqa: S603  # our own interpreter and module
            module_command(module, *arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log or subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
        self._messages: queue.SimpleQueue[Mapping[str, object] | None] = queue.SimpleQueue()
        threading.Thread(target=self._read, name=f"read {module}", daemon=True).start()

    def send(self, message: Mapping[str, object]) -> None:
        """Send one message. Raises ChildEndedError."""
        assert self.process.stdin
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except OSError as error:
            raise self._ended() from error

    def receive(self, seconds: float) -> Mapping[str, object] | None:
        """The next message, or None after the timeout. Raises ChildEndedError after the last one."""
        try:
            message = self._messages.get(timeout=seconds)
        except queue.Empty:
            return None
        if message is None:
            raise self._ended()
        return message

    def stop(self) -> None:
        """Kill the child and everything it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):  # it has ended
            if hasattr(os, "killpg"):
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):  # what was not read any more
                pipe.close()  # type: ignore[union-attr]  # both are pipes

    def _ended(self) -> ChildEndedError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(_ENDING_SECONDS)
        return ChildEndedError(self.process.returncode)

    def _read(self) -> None:
        assert self.process.stdout
        with contextlib.suppress(OSError, ValueError):  # killed in the middle of a line
            while line := self.process.stdout.readline(_LONGEST_LINE):
                message = json.loads(line)
                if isinstance(message, dict):
                    self._messages.put(message)
        self._messages.put(None)


def limit_process(memory_bytes: int, seconds: int) -> None:
    """In the child: limit address space and CPU time where the system supports it.

    The CPU limit can be raised later.
    """
    if sys.platform == "win32":
        return
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def lower_priority() -> None:
    """In the child: run at lower priority where the system supports it."""
    if sys.platform != "win32":
        os.nice(5)


def open_channel() -> TextIO:
    """In the child: open the channel to the parent. Anything libraries print goes to standard error from now on."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return channel


def die_with_parent() -> None:
    """In the child: exit when standard input closes, which happens however the parent ended."""

    def watch() -> None:
        sys.stdin.buffer.read()
        if hasattr(os, "killpg"):
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=watch, name="parent watch", daemon=True).start()


def tell(channel: TextIO, **message: object) -> None:
    """In the child: send one message to the parent."""
    channel.write(json.dumps(message) + "\n")
    channel.flush()


class WarmChildren:
    """Children that read one request after another; each is used by one thread at a time. Thread-safe."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._idle: list[Isolated] = []
        self._lock = Lock()

    @contextmanager
    def one(self) -> Iterator[tuple[Isolated, bool]]:
        """A child, and whether it was used before; an exception within the block ends it."""
        child, used = self._taken()
        with ExitStack() as ending:
            ending.callback(child.stop)
            yield child, used
            with self._lock:
                if len(self._idle) < MOST_IDLE:
                    self._idle.append(child)
                    ending.pop_all()

    def stop(self) -> None:
        """Stops the idle children; with this process they end by themselves."""
        with self._lock:
            idle, self._idle = self._idle, []
        for child in idle:
            child.stop()

    def _taken(self) -> tuple[Isolated, bool]:
        with self._lock:
            while self._idle:
                child = self._idle.pop()
                if child.process.poll() is None:
                    return child, True
                child.stop()
        return Isolated(self._module, []), False


def module_command(module: str, *arguments: str) -> list[str]:
    """`python -m module arguments...`; -P keeps a package of the same name in the current folder out."""
    return [sys.executable, "-P", "-m", module, *arguments]


def python_path() -> str:
    """PYTHONPATH of a child that imports what this process imports, and this package before any other."""
    return os.pathsep.join([str(_ROOT), *(path for path in sys.path if path)])
