"""IngestEngine on DBOS: workflows in SQLite or Postgres, no server, no console, no telemetry."""

import logging
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from queue import SimpleQueue
from threading import Event, Lock
from time import sleep
from typing import Any, Literal
from uuid import uuid4

from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer, SetEnqueueOptions, SetWorkflowID, error
from sqlalchemy import make_url
from sqlalchemy.exc import DatabaseError

from core.documents.ports.ingestion import StageRunner
from core.platform.errors import RetryableServiceError, ServiceError
from core.platform.files.sqlite_file import failure, first_line, flaw_of, set_aside
from core.platform.sql.engine import network_limits

_LOG = logging.getLogger(__name__)

_QUEUE = "ingest"
_NAME = "graphtalk"
_EXECUTOR = "ingest-worker"
"""Name of the only process; fixed, like the version, so that a new one resumes the workflows of the previous one."""
_VERSION = "4"
"""Version of the workflow. Runs of another version are dropped, and their documents are submitted again."""
_POLL_SECONDS = 0.25
_START_SECONDS = 60.0
_ACTIVE = ("ENQUEUED", "PENDING", "DELAYED")
_BROKEN = "MAX_RECOVERY_ATTEMPTS_EXCEEDED"
_PAUSES = (1, 3, 9)
"""Seconds before each further attempt when a service fails for the moment."""
_DATABASE_PAUSES = (*_PAUSES, *(15,) * 12)
"""The same for the database, which every document needs: a restart after a crash takes a while."""
_CRASH_PAUSES = (1,)
"""The same for a reading process that crashed: once more, alone."""
_SQLITE = "sqlite:///"
_UNUSABLE = "storage.unavailable"
_OF_DATABASE = (_UNUSABLE, "storage.busy")


class _QueueFile(sqlite3.Connection):
    """A connection in WAL mode. Steps that are lost in a power loss are restored from the main database."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.execute("PRAGMA journal_mode = WAL")
        self.execute("PRAGMA synchronous = NORMAL")


class DbosEngine:
    def __init__(self, url: str, concurrency: int, attempts: int, executor: str = _EXECUTOR) -> None:
        """`concurrency`: documents at a time. `attempts`: process deaths after which a document is given up.

        `executor`: this process's own name where several work on one queue.
        """
        self._executor = executor
        self._url = url
        self._concurrency = concurrency
        self._attempts = attempts
        self._workflow: Any = None
        self._ended: SimpleQueue[str] = SimpleQueue()
        self._groups: set[tuple[str, ...]] = set()
        """Groups that wait or run; DBOS itself knows single documents."""
        self._lock = Lock()
        self._resumed = Event()
        """Set when the groups of a killed process are known."""

    def start(self, runner: StageRunner) -> None:
        """A damaged queue file is set aside, because the database knows the remaining work as well."""
        file = self._file
        if file and flaw_of(file, thorough=True):
            _LOG.error("%s is damaged and set aside as %s", file, set_aside(file))
        try:
            with self._queue_errors():
                self._launch(runner)
        except ServiceError as error:
            if file and error.key == _UNUSABLE:  # sound as a file, but not the queue that is expected there
                set_aside(file)
            raise

    def _launch(self, runner: StageRunner) -> None:
        config: DBOSConfig = {
            "name": _NAME,
            "system_database_url": self._url,
            "executor_id": self._executor,
            "application_version": _VERSION,
            "serializer": DBOSPortableJSONSerializer(),
            "enable_otlp": False,
            "log_level": "WARNING",
            "use_listen_notify": False,
        }
        connect = {"factory": _QueueFile} if self._file else network_limits(make_url(self._url))
        config["db_engine_kwargs"] = {"connect_args": connect}
        DBOS(config=config)
        self._workflow = DBOS.workflow(name=_QUEUE, max_recovery_attempts=self._attempts - 1)(
            _ingest(runner, self._begin, self._end)
        )
        DBOS.launch()
        for group in _left_over():
            self._note(group)
        self._resumed.set()
        DBOS.register_queue(
            _QUEUE,
            worker_concurrency=self._concurrency,
            polling_interval_sec=_POLL_SECONDS,
            on_conflict="always_update",
        )
        for handler in logging.getLogger("dbos").handlers[:]:
            logging.getLogger("dbos").removeHandler(handler)

    def enqueue(self, *document_ids: str) -> None:
        grouped = self._grouped()
        fresh = [each for each in document_ids if each not in grouped]
        if not fresh:
            return
        self._note(fresh)
        try:
            with self._queue_errors():
                self._enqueue(fresh)
        except ServiceError:
            self._forget(fresh)
            raise

    def _enqueue(self, document_ids: list[str]) -> None:
        workflow_id = f"{document_ids[0]}-{uuid4().hex}"
        alone = document_ids[0] if len(document_ids) == 1 else None
        try:
            with SetWorkflowID(workflow_id), SetEnqueueOptions(deduplication_id=alone):
                DBOS.enqueue_workflow(_QUEUE, self._workflow, document_ids)
        except error.DBOSQueueDeduplicatedError:
            return  # it waits or runs already

    def _grouped(self) -> set[str]:
        with self._lock:
            return {each for group in self._groups for each in group}

    def _begin(self, document_ids: Sequence[str]) -> None:
        self._resumed.wait(_START_SECONDS)
        self._note(document_ids)

    def _note(self, document_ids: Sequence[str]) -> None:
        if len(document_ids) > 1:
            with self._lock:
                self._groups.add(tuple(document_ids))

    def _end(self, document_ids: Sequence[str]) -> None:
        self._forget(document_ids)
        for each in document_ids:
            self._ended.put(each)

    def _forget(self, document_ids: Sequence[str]) -> None:
        with self._lock:
            self._groups.discard(tuple(document_ids))

    def ended(self) -> list[str]:
        return [self._ended.get() for _ in range(self._ended.qsize())]

    def executors(self) -> list[str]:
        with self._queue_errors():
            under_way = DBOS.list_workflows(status="PENDING", queue_name=_QUEUE, load_input=False, load_output=False)
        return sorted({run.executor_id for run in under_way if run.executor_id})

    def take_over(self, executors: Collection[str]) -> None:
        """Uses the library's own recovery, which requeues each workflow unless another process has it already.

        It is not a public function, since a paid service calls it; a test checks that it does what is needed.
        """
        with self._queue_errors():
            DBOS._recover_pending_workflows([*executors])

    def standing(self, document_id: str) -> Literal["none", "active", "ended", "broken"]:
        """Documents of a group that failed continue alone."""
        if document_id in self._grouped():
            return "active"
        with self._queue_errors():
            states = [run.status for run in self._runs(document_id)]
        if any(state in _ACTIVE for state in states):
            return "active"
        if not states:
            return "none"
        return "broken" if states[-1] == _BROKEN else "ended"

    @contextmanager
    def _queue_errors(self) -> Iterator[None]:
        """Raises an AppError instead of an error of the queue's database."""
        try:
            yield
        except DatabaseError as error:
            if self._file:
                raise failure(self._file, error.orig) from error
            raise RetryableServiceError(_UNUSABLE, reason=first_line(error.orig)) from error

    @property
    def _file(self) -> Path | None:
        """None for a queue in Postgres."""
        return Path(self._url.removeprefix(_SQLITE)) if self._url.startswith(_SQLITE) else None

    def _runs(self, document_id: str) -> list[Any]:
        """Oldest first."""
        return DBOS.list_workflows(workflow_id_prefix=f"{document_id}-", load_input=False, load_output=False)


def _left_over() -> list[list[str]]:
    """Documents of each run of this version that was begun or waited when the last process ended; older are dropped."""
    under_way = DBOS.list_workflows(status=list(_ACTIVE), queue_name=_QUEUE, load_output=False)
    if older := [run.workflow_id for run in under_way if run.app_version not in (None, _VERSION)]:
        DBOS.cancel_workflows(older)
    return [run.input["args"][0] for run in under_way if run.input and run.workflow_id not in older]


def _ingest(runner: StageRunner, begun: Callable[[Sequence[str]], None], ended: Callable[[Sequence[str]], None]) -> Any:
    """The workflow's body. It has no steps: a new attempt continues from the results in the document's work folder, and
    recording a step takes as long as a stage of a small document."""

    def ingest(document_ids: list[str]) -> str:
        begun(document_ids)
        try:
            return go_through(document_ids)
        finally:
            ended(document_ids)

    def go_through(left: list[str]) -> str:
        for attempt in count():
            try:
                kept_from = runner.run_together(left)
            except RetryableServiceError as error:
                kept_from = dict.fromkeys(left, error)
            if not kept_from:
                return "done"
            left = list(kept_from)
            pauses = _pauses(kept_from.values())
            if attempt >= len(pauses):
                break
            _LOG.info("%s tried again in %d s: %s", ", ".join(left), pauses[attempt], next(iter(kept_from.values())))
            sleep(pauses[attempt])
        for document_id in left:
            runner.give_up(document_id, kept_from[document_id])
        return "given up"

    return ingest


def _pauses(failures: Collection[RetryableServiceError]) -> tuple[int, ...]:
    if any(failure.key in _OF_DATABASE for failure in failures):
        return _DATABASE_PAUSES
    return _CRASH_PAUSES if all(failure.key == "ingest.error.parser_failed" for failure in failures) else _PAUSES
