"""`worker`: reads documents beside other workers, for the apps that share the database."""

import signal
import threading
from argparse import Namespace
from types import FrameType

from core.interfaces.cli.console import note, say
from core.platform.errors import ConfigurationError
from core.platform.settings.settings import Settings


def run(settings: Settings, options: Namespace) -> int:
    """Until it is told to stop; a process that dies is started again."""
    del options
    from core.app.ingestion import PROCESS
    from core.app.services import Services
    from core.documents.pipeline.supervisor import Supervisor

    if not settings.is_shared:
        raise ConfigurationError("settings.worker_alone")
    with Services(settings) as services:
        services.library.bases.all()
    stop = threading.Event()

    def ask(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, ask)
    supervisor = Supervisor(settings.data, PROCESS, speaks=True)
    supervisor.start()
    say(f"reading documents; data folder {settings.data.resolve()}")
    stop.wait()
    note("stopping")
    supervisor.stop()
    return 0
