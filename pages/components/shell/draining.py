"""Ends the server gently: SIGTERM first lets the questions under way be answered."""

import logging
import os
import signal
import threading
import time
from types import FrameType

from core.platform.errors import AppError
from pages.components.shell.services import drain_services

_LOG = logging.getLogger(__name__)
TELLING_SECONDS = 2.0
"""Until those who follow an answer have its end; a server that stops cuts them off."""


def drain_before_ending() -> None:
    """Pages and streams are served meanwhile. A second SIGTERM ends at once, as Ctrl-C does."""
    at_once = signal.getsignal(signal.SIGTERM)
    if threading.current_thread() is not threading.main_thread() or not callable(at_once):
        return

    def drain(_signal: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, at_once)
        threading.Thread(target=_drain, name="drain", daemon=True).start()

    signal.signal(signal.SIGTERM, drain)


def _drain() -> None:
    try:
        drain_services()
        time.sleep(TELLING_SECONDS)
    except AppError as error:  # the database is away: nothing can be waited for
        _LOG.warning("%s", error)
    finally:
        os.kill(os.getpid(), signal.SIGTERM)
