"""IngestEngine on DBOS: workflows and steps in SQLite or Postgres, no server, no console, no telemetry."""

import logging
from typing import Any, Literal

from core.domain.documents import Stage
from core.errors import RetryableServiceError
from core.ports.ingestion import StageRunner

_QUEUE = "ingest"
_NAME = "graphtalk"
_EXECUTOR = "ingest-worker"
"""Fixed, like the version, so that a new process resumes the workflows of the previous one."""
_VERSION = "1"
_POLL_SECONDS = 0.25
_ACTIVE = ("ENQUEUED", "PENDING", "DELAYED")
_BROKEN = "MAX_RECOVERY_ATTEMPTS_EXCEEDED"
_RETRIES = 4


class DbosEngine:
    def __init__(self, url: str, concurrency: int, attempts: int) -> None:
        """`concurrency`: documents at a time. `attempts`: process deaths after which a document is given up."""
        self._url = url
        self._concurrency = concurrency
        self._attempts = attempts
        self._workflow: Any = None

    def start(self, runner: StageRunner) -> None:
        from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer

        config: DBOSConfig = {
            "name": _NAME,
            "system_database_url": self._url,
            "executor_id": _EXECUTOR,
            "application_version": _VERSION,
            "serializer": DBOSPortableJSONSerializer(),
            "enable_otlp": False,
            "log_level": "WARNING",
            "use_listen_notify": False,
        }
        DBOS(config=config)
        self._workflow = DBOS.workflow(name=_QUEUE, max_recovery_attempts=self._attempts - 1)(_ingest(runner))
        DBOS.launch()
        DBOS.register_queue(
            _QUEUE,
            worker_concurrency=self._concurrency,
            polling_interval_sec=_POLL_SECONDS,
            on_conflict="always_update",
        )
        for handler in logging.getLogger("dbos").handlers[:]:
            logging.getLogger("dbos").removeHandler(handler)

    def enqueue(self, document_id: str) -> None:
        from dbos import DBOS, SetEnqueueOptions, SetWorkflowID, error

        if self.standing(document_id) == "active":
            return
        workflow_id = f"{document_id}-{len(self._runs(document_id)) + 1}"
        try:
            with SetWorkflowID(workflow_id), SetEnqueueOptions(deduplication_id=document_id):
                DBOS.enqueue_workflow(_QUEUE, self._workflow, document_id)
        except error.DBOSQueueDeduplicatedError:
            return  # it was enqueued in the same moment

    def standing(self, document_id: str) -> Literal["none", "active", "ended", "broken"]:
        states = [run.status for run in self._runs(document_id)]
        if any(state in _ACTIVE for state in states):
            return "active"
        if not states:
            return "none"
        return "broken" if states[-1] == _BROKEN else "ended"

    def stop(self) -> None:
        from dbos import DBOS

        DBOS.destroy()

    def _runs(self, document_id: str) -> list[Any]:
        """Oldest first."""
        from dbos import DBOS

        return DBOS.list_workflows(workflow_id_prefix=f"{document_id}-", load_input=False, load_output=False)


def _ingest(runner: StageRunner) -> Any:
    """The workflow's body. Steps return plain flags; larger results are in the document's work folder."""

    def ingest(document_id: str) -> str:
        from dbos import DBOS, error

        for stage in Stage:
            options: Any = {
                "name": str(stage),
                "retries_allowed": True,
                "max_attempts": _RETRIES,
                "backoff_rate": 3.0,
                "should_retry": _is_retryable,
            }
            try:
                goes_on = DBOS.run_step(options, runner.run, document_id, stage)
            except error.DBOSMaxStepRetriesExceeded:
                DBOS.run_step({"name": "give up"}, runner.give_up, document_id, stage)
                goes_on = False
            if not goes_on:
                return str(stage)
        return "done"

    return ingest


def _is_retryable(error: BaseException) -> bool:
    return isinstance(error, RetryableServiceError)
