"""The queue of documents, the durable engine behind it, and the record of what was done."""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, Protocol

from core.documents.model import Effort, Stage, StageProgress
from core.platform.errors import RetryableServiceError


class IngestQueue(Protocol):
    """Documents on their way into a knowledge base; durable, and the same from every process of the data folder."""

    def submit(self, document_id: str) -> None:
        """Again is harmless: a document that waits or runs is not run twice."""

    def cancel(self, document_id: str) -> None:
        """Raises NotFoundError."""

    def retry(self, document_id: str) -> None:
        """From the stage that failed; finished stages keep their results. Raises NotFoundError."""

    def resume(self, document_id: str) -> None:
        """A paused document goes on, whatever it is estimated to take. Raises NotFoundError."""


class SubmittedDocuments(IngestQueue, Protocol):
    """The queue as the ingestion process sees it."""

    def waiting(self) -> list[str]:
        """Submitted documents not yet taken, oldest first; of many, the first ones."""

    def taken(self, document_id: str) -> None:
        """The durable engine has it."""

    def cancelling(self) -> frozenset[str]:
        """Documents whose cancellation is not recorded yet."""


class StageRunner(Protocol):
    """What a durable engine calls."""

    def run(self, document_id: str, stage: Stage = Stage.INDEX) -> bool:
        """Everything up to the stage that is not done yet; whether more may follow.

        Failures are recorded with the document. Raises RetryableServiceError.
        """

    def run_together(self, document_ids: Sequence[str]) -> Mapping[str, RetryableServiceError]:
        """The same for several documents, up to the end; those that a service kept from it for the moment, and how.

        Raises RetryableServiceError if it kept all of them from it.
        """

    def give_up(self, document_id: str, error: RetryableServiceError) -> None:
        """Records that the last attempt failed, too, with this error."""


class IngestEngine(Protocol):
    """Runs each document through the stages, in the ingestion process; what was finished before a crash stays so."""

    def start(self, runner: StageRunner) -> None:
        """Goes on with what was interrupted."""

    def enqueue(self, *document_ids: str) -> None:
        """One document, or several short ones that are read together; nothing happens to one that waits or runs."""

    def ended(self) -> list[str]:
        """Documents whose runs came to their end since this was asked last, in this process."""

    def executors(self) -> list[str]:
        """The ingestion processes that have something under way."""

    def take_over(self, executors: Collection[str]) -> None:
        """What those ingestion processes, which are dead, had begun goes on in any living one."""

    def standing(self, document_id: str) -> Literal["none", "active", "ended", "broken"]:
        """Of the newest enqueuing; broken is one that brought the process down too often."""

    def stop(self) -> None: ...


class IngestRecords(Protocol):
    """How far documents have come, what that took, and why they stopped."""

    def record_stage(self, document_id: str, *progress: StageProgress) -> None:
        """Of one or several stages at once. Raises NotFoundError when the document was deleted meanwhile."""

    def stages(self, document_id: str) -> list[StageProgress]: ...

    def record_running(self, progress: Mapping[str, StageProgress]) -> None:
        """By document, in one transaction; those that were deleted meanwhile are left out."""

    def record_estimate(self, document_id: str, estimate: Effort, paused: bool = False) -> None:
        """paused: it waits for a person before anything is spent. Raises NotFoundError."""

    def record_estimates(self, estimates: Mapping[str, Effort]) -> None:
        """By document, in one transaction; those that were deleted meanwhile are left out."""

    def resume(self, document_id: str) -> None:
        """A paused document may go on, whatever its estimate says. Raises NotFoundError."""

    def fail(self, document_id: str, key: str, params: Mapping[str, str]) -> None: ...

    def restart(self, document_id: str) -> None:
        """Clear failure and progress, before the pipeline runs again."""

    def cancel(self, document_id: str) -> None: ...

    def unwanted(self, document_ids: Collection[str]) -> frozenset[str]:
        """Those of them that were cancelled or deleted."""
