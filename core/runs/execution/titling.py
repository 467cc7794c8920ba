"""Names conversations after their first answer, in the background."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace

from core.models.meter import Cancel
from core.platform.errors import AppError, CancelledError
from core.runs.events import Event, ModelCalled
from core.runs.execution.runner import Emit
from core.runs.execution.titles import title_of
from core.runs.history.view import RunView
from core.runs.model import Run
from core.runs.ports import RunLog, Threads

_LOG = logging.getLogger(__name__)
Entitle = Callable[[Run, RunView, Emit, Cancel], str]


class Titles:
    """One at a time, so that titles never keep a model from answering. close() when done."""

    def __init__(self, entitle: Entitle | None, log: RunLog, threads: Threads) -> None:
        self._make = entitle
        self._log = log
        self._threads = threads
        self._closed = threading.Event()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="run-title")

    def begin(self, run: Run, view: RunView) -> None:
        """For the conversation that the run, which has ended, began."""
        if self._make is not None and not self._closed.is_set():
            self._pool.submit(copy_context().run, self._entitle, self._make, run, view).add_done_callback(_report)

    def requested(self) -> bool:
        """As a Cancel: the app is closing."""
        return self._closed.is_set()

    def close(self) -> None:
        self._closed.set()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _entitle(self, make: Entitle, run: Run, view: RunView) -> None:
        """What a person has named meanwhile keeps its name."""
        calls: list[ModelCalled] = []
        try:
            if not self._is_unnamed(run):
                return
            title = make(run, view, lambda event: _keep_call(event, calls), self)
            if title and self._is_unnamed(run):
                self._threads.rename(run.thread_id, title)
            self._count(run, calls)
        except CancelledError:
            _LOG.info("a conversation keeps its first title")
        except AppError as error:
            _LOG.warning("no title: %s", error)

    def _is_unnamed(self, run: Run) -> bool:
        return self._threads.get(run.thread_id).title == title_of(run.question)

    def _count(self, run: Run, calls: list[ModelCalled]) -> None:
        """Calls of a model are added to the run, which is over by now: they are paid for like its others."""
        if not calls:
            return
        self._log.append(run.id, calls)
        ended = self._log.get(run.id)
        self._log.finish(replace(ended, usage=sum((call.usage for call in calls), ended.usage)))


def _keep_call(event: Event, calls: list[ModelCalled]) -> None:
    """Nothing else: a title that a model failed to make is no failure of the answer."""
    if isinstance(event, ModelCalled):
        calls.append(event)


def _report(job: "Future[None]") -> None:
    if not job.cancelled() and (error := job.exception()):
        _LOG.error("a title failed", exc_info=error)
