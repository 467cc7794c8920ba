"""`serve`: the app in the browser, without a copy of the repository. `mcp`: its tools, over standard input and output.

`worker`: reads documents for all apps that share the database; several may run.
"""

import asyncio
import os
import runpy
import signal
import sys
import threading
from argparse import Namespace
from pathlib import Path
from socket import gethostname
from types import FrameType

from core.app.logs import log_to_standard_error
from core.documents.pipeline.supervisor import Supervisor
from core.interfaces.cli.console import note, say
from core.platform.errors import ConfigurationError, RetryableServiceError
from core.platform.settings.settings import Settings

_APP = Path(__file__).parents[3] / "app.py"
_WAIT_SECONDS = 2.0


def run(settings: Settings, options: Namespace) -> int:
    """Hands this process over to `streamlit run`; returns when it is stopped."""
    os.environ["GRAPHTALK_DATA"] = str(settings.data.resolve())
    sys.argv = ["streamlit", "run", str(_APP), "--server.port", str(options.port)]
    try:
        runpy.run_module("streamlit", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def mcp(settings: Settings, options: Namespace) -> int:
    """Returns when the other program closes the standard input."""
    from core.app.services import Services

    del options
    try:
        from core.interfaces.http.mcp.server import serve_stdio
    except ModuleNotFoundError as error:
        raise ConfigurationError("cli.mcp.missing") from error
    with Services(settings) as services:
        asyncio.run(serve_stdio(services))
    return 0


def work(settings: Settings, options: Namespace) -> int:
    """Runs until SIGTERM or SIGINT; a process that dies is started again."""
    from core.app.ingestion import PROCESS

    if not settings.is_shared:
        raise ConfigurationError("settings.worker_alone")
    if options.check:
        return _check(settings)
    log_to_standard_error(settings.log_format)
    stop = threading.Event()

    def ask(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, ask)
    if not _opened(settings, stop):
        return 0
    supervisor = Supervisor(settings.data, PROCESS, speaks=True)
    supervisor.start()
    say(f"reading documents; data folder {settings.data.resolve()}")
    stop.wait()
    note("stopping")
    supervisor.stop()
    return 0


def _check(settings: Settings) -> int:
    """Exit status 0 if a worker of this machine or container is alive. Raises AppError."""
    from core.app.services import Services

    with Services(settings) as services:
        here = [each for each in services.storage.processes() if each.kind == "worker" and each.host == gethostname()]
    alive = any(each.is_alive for each in here)
    say(f"{'a' if alive else 'no'} worker of this machine is alive")
    return 0 if alive else 1


def _opened(settings: Settings, stop: threading.Event) -> bool:
    """Waits for the database; False if a signal stops the wait. Raises AppError."""
    from core.app.services import Services

    shown = ""
    while not stop.is_set():
        try:
            with Services(settings) as services:
                services.library.bases.all()
            return True
        except RetryableServiceError as error:
            if str(error) != shown:
                shown = str(error)
                note(f"{shown} Waiting for it.")
        stop.wait(_WAIT_SECONDS)
    return False
