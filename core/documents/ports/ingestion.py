"""The queue of documents, the durable engine behind it, and the record of what was done."""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, Protocol

from core.documents.model import Effort, Stage, StageProgress
from core.platform.errors import RetryableServiceError


class IngestQueue(Protocol):
    """Documents on their way into a knowledge base; durable, and the same from every process of the data folder."""

    records: "IngestRecords"

    def submit(self, document_id: str) -> None:
        """Idempotent: a document that waits or runs is not run twice."""

    def cancel(self, document_id: str) -> None:
        """Raises NotFoundError."""

    def retry(self, document_id: str) -> None:
        """Runs it again from the stage that failed; finished stages keep their results. Raises NotFoundError."""
        self.records.restart(document_id)
        self.submit(document_id)

    def resume(self, document_id: str) -> None:
        """Continues a paused document regardless of its estimate. Raises NotFoundError."""
        self.records.resume(document_id)
        self.submit(document_id)


class SubmittedDocuments(IngestQueue, Protocol):
    """The queue as the ingestion process sees it."""

    def waiting(self) -> list[str]:
        """Submitted documents not yet taken, oldest first; of many, the first ones."""

    def taken(self, document_id: str) -> None:
        """The durable engine has it."""

    def cancelling(self) -> frozenset[str]:
        """Documents whose cancellation is not recorded yet."""


class StageRunner(Protocol):
    """Runs stages on behalf of a durable engine."""

    def run(self, document_id: str, stage: Stage = Stage.INDEX) -> bool:
        """Runs the missing stages up to this one; returns whether more may follow.

        Failures are recorded with the document. Raises RetryableServiceError.
        """

    def run_together(self, document_ids: Sequence[str]) -> Mapping[str, RetryableServiceError]:
        """Runs several documents to the end; returns those that a service prevents for the moment, with its error.

        Raises RetryableServiceError if that is all of them.
        """

    def give_up(self, document_id: str, error: RetryableServiceError) -> None:
        """Records that the last attempt failed, too, with this error."""


class IngestEngine(Protocol):
    """Runs each document through the stages, in the ingestion process; what was finished before a crash stays so."""

    def start(self, runner: StageRunner) -> None:
        """Starts the engine, which resumes interrupted runs."""

    def enqueue(self, *document_ids: str) -> None:
        """One document, or several short ones that are read together; nothing happens to one that waits or runs."""

    def ended(self) -> list[str]:
        """Documents whose runs ended in this process since the last call."""

    def executors(self) -> list[str]:
        """Ids of the ingestion processes that have runs under way."""

    def take_over(self, executors: Collection[str]) -> None:
        """Hands the work of these dead ingestion processes to any living one."""

    def standing(self, document_id: str) -> Literal["none", "active", "ended", "broken"]:
        """State of the newest run; broken if it brought the process down too often."""


class IngestRecords(Protocol):
    """Progress, effort and failures of documents."""

    def record_stage(self, document_id: str, *progress: StageProgress) -> None:
        """Records one or several stages. Raises NotFoundError when the document was deleted meanwhile.

        Of a document that was read to its end, nothing but what is done until it is to be read again.
        """

    def stages(self, document_id: str) -> list[StageProgress]: ...

    def record_running(self, progress: Mapping[str, StageProgress]) -> None:
        """By document, in one transaction; those that were deleted or read to their end meanwhile are left out."""

    def record_estimate(self, document_id: str, estimate: Effort, paused: bool = False) -> None:
        """paused: it waits for a person before anything is spent. Raises NotFoundError."""

    def record_estimates(self, estimates: Mapping[str, Effort]) -> None:
        """By document, in one transaction; those that were deleted meanwhile are left out."""

    def resume(self, document_id: str) -> None:
        """Allows a paused document to continue regardless of its estimate. Raises NotFoundError."""

    def fail(self, document_id: str, key: str, params: Mapping[str, str]) -> None: ...

    def restart(self, document_id: str) -> None:
        """Clear failure and progress, before the pipeline runs again."""

    def cancel(self, document_id: str) -> None: ...

    def unwanted(self, document_ids: Collection[str]) -> frozenset[str]:
        """Those of the documents that were cancelled or deleted."""
