"""Limited child processes that wait for the next file instead of being started for each, which takes 0.2 s."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Lock

from core.platform.processes.isolated_process import Isolated

MOST_IDLE = 2


class WarmChildren:
    """Children that read one request after another; each is used by one thread at a time. Thread-safe."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._idle: list[Isolated] = []
        self._lock = Lock()

    @contextmanager
    def one(self) -> Iterator[tuple[Isolated, bool]]:
        """A child, and whether it has worked before; what raises within the block ends it."""
        child, used = self._taken()
        with ExitStack() as ending:
            ending.callback(child.stop)
            yield child, used
            with self._lock:
                if len(self._idle) < MOST_IDLE:
                    self._idle.append(child)
                    ending.pop_all()

    def stop(self) -> None:
        """Those that are idle; with this process they end by themselves."""
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
