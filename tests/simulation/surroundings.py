"""What goes wrong around a process: a model that lies or hangs, a second process of the app on the same folder, vectors
that are lost.
"""

import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from core.app.backup import write_backup
from core.app.services import Services
from core.documents.model import KnowledgeBase
from core.platform.errors import AppError, DamagedError, attempted
from core.platform.settings.settings import load_settings
from tests.loopback.answers import Cut, Endless, Failure, KeepAlives, Page, Reply
from tests.loopback.derived import derived_reply
from tests.loopback.openai_server import OpenAiServer
from tests.simulation.desk import Action, Visitor
from tests.simulation.faults import OF_VECTORS, FaultKind

INVENTED = "The gauge was sold to a bank in Paris for nine million francs. [1]"
BAD = (
    Reply(),
    Reply("[1][2]"),
    Reply(INVENTED),
    Reply("\ud800 broken \x00 text"),
    Reply("Slow.", pause_seconds=5),
    Endless(),
    Cut("It was"),
    Failure(500),
    Failure(429),
    Page(),
    KeepAlives(),
)
_SPOILED_BYTES = 512
_NOBODY = "http://127.0.0.1:9"
LIMITS = {"LLM_CALL_SECONDS": "1", "LLM_ANSWER_SECONDS": "2", "MAX_SECONDS": "6"}


@contextmanager
def surrounded(kind: FaultKind, folder: Path, random: Random, companion: "Companion") -> Iterator[Callable[[], None]]:
    """Yields what ends it before its time."""
    with ExitStack() as surroundings:
        if kind is FaultKind.BAD_MODEL:
            answers = OpenAiServer(lambda request: random.choice((*BAD, derived_reply(request))))
            server = surroundings.enter_context(answers)
            os.environ.update({"LLM_BASE_URL": server.base_url, "LLM_MODEL": "loopback", **LIMITS})
        elif kind is FaultKind.VECTORS_AWAY:
            os.environ["CHROMA_URL"] = _NOBODY
        elif kind in OF_VECTORS:
            _spoil_vectors(folder / "data" / "chroma", kind, random)
        elif kind is FaultKind.COMPANION:
            surroundings.enter_context(companion.running(folder))
        yield surroundings.close


def _spoil_vectors(chroma: Path, kind: FaultKind, random: Random) -> None:
    files = sorted(path for path in chroma.rglob("*") if path.is_file() and path.stat().st_size)
    if kind is FaultKind.VECTORS_LOST:
        shutil.rmtree(chroma, ignore_errors=True)
    elif files:
        file, how = random.choice(files), random.randrange(3)
        if how == 0:
            file.unlink()
        elif how == 1:
            os.truncate(file, random.randrange(file.stat().st_size))
        else:
            content = bytearray(file.read_bytes())
            start = random.randrange(len(content))
            content[start : start + _SPOILED_BYTES] = random.randbytes(len(content[start : start + _SPOILED_BYTES]))
            file.write_bytes(content)


@dataclass(frozen=True, slots=True)
class Companion:
    """A second process of the app."""

    actions: list[Action]
    """What it does once."""
    tell: Callable[[str, Action], None]
    """Called with "begun" and "done"."""
    tell_error: Callable[[Exception], None]
    """Called with what it should not meet."""

    @contextmanager
    def running(self, folder: Path) -> Iterator[None]:
        """It is killed in the middle of whatever it does."""
        parent, child = os.getpid(), os.fork()
        if child == 0:
            while os.getppid() == parent:
                done = attempted(lambda: self._visit(folder))
                if isinstance(done, DamagedError) or (isinstance(done, Exception) and not isinstance(done, AppError)):
                    self.tell_error(done)
                    break
            os._exit(0)
        try:
            yield
        finally:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)

    def _visit(self, folder: Path) -> None:
        """It lists, searches, tidies up, adds, edits and deletes something and is backed up."""
        with Services(load_settings(folder / "data")) as services:
            for _ in range(5):
                for base in services.library.bases.all():
                    services.search.retriever.chunks(base.id, "gauge at Marlow Sound", 5)
                    services.graph.search(base.id, "KelpNet", 1)
                    services.search.checked(base.id)
                    if self.actions:
                        self._do(services, base, self.actions.pop())
                services.memories.find()
                services.tidy()
                time.sleep(0.05)
            if not services.settings.database_url:
                write_backup(services.settings, folder / "companion.zip")

    def _do(self, services: Services, base: KnowledgeBase, action: Action) -> None:
        self.tell("begun", action)
        Visitor(services, base).do(action)
        self.tell("done", action)
