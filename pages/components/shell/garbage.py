"""Garbage collection while no page is being drawn, instead of after each run of the script."""

import gc
import threading

from core.platform.processes.process_tuning import give_back

QUIET_SECONDS = 1.0
"""Time without a drawn page after which a collection delays nobody."""
BUSY_ROUNDS = 30
"""Busy checks in a row after which garbage is collected anyway."""

_page_drawn = threading.Event()


def note_page_drawn() -> None:
    """Note that there may be garbage; cheap enough for every run of the script."""
    _page_drawn.set()


def collect_when_idle() -> None:
    """Start a daemon thread that collects garbage when idle.

    Call it when everything is loaded: objects alive now are exempt from later collections, which take a tenth of
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
