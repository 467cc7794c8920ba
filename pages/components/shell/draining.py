"""Graceful shutdown: SIGTERM lets running questions finish first."""

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
"""Time for streams to send the end of an answer before the server stops."""


def drain_before_ending() -> None:
    """Install the handler; pages and streams are served meanwhile. A second SIGTERM or Ctrl-C ends at once."""
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
