"""Collects garbage in moments in which nobody waits for a page, instead of after each run of the script."""

import gc
import threading

from core.bootstrap.heap import give_back

QUIET_SECONDS = 1.0
"""Without a page drawn: then a collection delays nobody."""
BUSY_ROUNDS = 30
"""So often in a row a moment may turn out not to be quiet before garbage is collected all the same."""

_page_drawn = threading.Event()


def note_page_drawn() -> None:
    """There may be garbage now; cheap enough for every run of the script."""
    _page_drawn.set()


def collect_when_idle() -> None:
    """From now on, in a thread of its own, as long as the process lives.

    To be called when everything is loaded: collections do not look again at what is alive now, and take a tenth of
    the time.
    """
    gc.collect()
    gc.freeze()
    give_back()
    threading.Thread(target=_collect_again_and_again, name="garbage", daemon=True).start()


def _collect_again_and_again() -> None:
    while True:
        _page_drawn.wait()
        _wait_for_quiet()
        gc.collect()
        give_back()


def _wait_for_quiet() -> None:
    for _ in range(BUSY_ROUNDS):
        _page_drawn.clear()
        if not _page_drawn.wait(QUIET_SECONDS):
            return
