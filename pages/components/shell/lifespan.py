"""Start and stop of the server: services open while the first page is drawn, SIGTERM lets running questions finish."""

import asyncio
import gc
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from types import FrameType
from typing import TypeVar

import streamlit as st

from core.platform.errors import AppError, RetryableServiceError
from core.platform.identity import SYSTEM, acting_as
from core.platform.processes.process_tuning import give_back
from pages.components.chat.workflow_choices import prepare_pictures
from pages.components.shell.security import close_slow_requests
from pages.components.shell.services import close_services, drain_services, first_page, opened, services
from pages.components.shell.text import warm_templates

TELLING_SECONDS = 2.0
"""Time for streams to send the end of an answer before the server stops."""
PATIENCE_SECONDS = 5.0
"""How long to wait for a first browser before work in the data folder resumes."""
DRAWING_SECONDS = 1.0
"""Pause in which the browser draws the first page undisturbed."""


AGAIN_SECONDS = 5.0
TIDY_SECONDS = 86_400.0
_warm = threading.Event()
"""Set when the warm-up has ended, successfully or not."""
Made = TypeVar("Made")
_LOG = logging.getLogger(__name__)
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


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[dict[str, object]]:
    del app
    close_slow_requests()
    for work in (_start_ingestion, _warm_up, _tidy):
        threading.Thread(target=_attempt, args=(work,), name=work.__name__, daemon=True).start()
    drain_before_ending()
    _say_address()
    yield {}
    await asyncio.to_thread(close_services)


def _say_address() -> None:
    """Print the address, instead of Streamlit's greeting."""
    host, port = st.get_option("browser.serverAddress"), st.get_option("server.port")
    sys.stdout.write(f"\n  GraphTalk: http://{host}:{port}   (Ctrl-C ends it)\n\n")
    sys.stdout.flush()


def _attempt(work: Callable[[], None]) -> None:
    """Do the work; what the pages say of a wrong setting or a damaged database is one line of the log."""
    try:
        work()
    except AppError as error:
        _LOG.error("%s", error)


def _start_ingestion() -> None:
    """Start ingestion in its own thread, independent of the warm-up."""
    opened.wait()
    _let_the_page_go_first()
    services().ingestion.start()
    services().search.follow_words()


def _warm_up() -> None:
    """Load, after the first page, what the first question and the first drawing would otherwise wait for."""
    try:
        made = _when_possible(services)
        with acting_as(SYSTEM):
            _when_possible(lambda: made.worker.recover())
        _let_the_page_go_first()
        warm_templates()
        prepare_pictures()
        made.drawing.warm()
        made.warm()
    finally:
        _warm.set()
        collect_when_idle()


def _when_possible(work: Callable[[], Made]) -> Made:
    """Result of the work, repeated while the database is unavailable, for example because it is starting too."""
    while True:
        try:
            return work()
        except RetryableServiceError as error:
            _LOG.warning("%s", error)
        time.sleep(AGAIN_SECONDS)


def _tidy() -> None:
    """Tidy the data folder after the warm-up, and every day."""
    _warm.wait()
    opened.wait()
    while True:
        try:
            services().tidy()
        except AppError as error:  # a busy database, a disk that is full or read-only: tomorrow again
            _LOG.warning("%s", error)
        time.sleep(TIDY_SECONDS)


def _let_the_page_go_first() -> None:
    if first_page.wait(PATIENCE_SECONDS):
        time.sleep(DRAWING_SECONDS)


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
