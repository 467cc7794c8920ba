"""Hears what other processes ask of the runs of this one."""

import logging
import threading
from collections.abc import Callable

from core.platform.errors import AppError
from core.platform.identity import SYSTEM, acting_as
from core.runs.model import RunWish

_LOG = logging.getLogger(__name__)
LOOK_SECONDS = 1.0


class CommandPoller:
    """Looks for wishes while runs are under way, in a thread that ends with the last of them."""

    def __init__(
        self, wished: Callable[[], list[RunWish]], heed: Callable[[RunWish], object], busy: Callable[[], bool]
    ) -> None:
        self._wished = wished
        self._heed = heed
        self._busy = busy
        self._lock = threading.Lock()
        self._watching = False
        self._over = threading.Event()

    def begin(self) -> None:
        """Called with every run."""
        with self._lock:
            if self._watching or self._over.is_set():
                return
            self._watching = True
        threading.Thread(target=self._watch, name="run wishes", daemon=True).start()

    def close(self) -> None:
        self._over.set()

    def _watch(self) -> None:
        while not self._over.wait(LOOK_SECONDS):
            with self._lock:
                self._watching = self._busy()
                if not self._watching:
                    return
            try:
                with acting_as(SYSTEM):
                    for wish in self._wished():
                        self._heed(wish)
            except AppError as error:  # the database is away: the next look comes when it is back
                _LOG.warning("cannot look for what is wished of runs: %s", error)
