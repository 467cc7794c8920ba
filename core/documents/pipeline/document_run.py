"""A document on its way through the stages."""

from collections.abc import Callable
from dataclasses import dataclass, field

from core.documents.model import Document, Stage, StageProgress
from core.documents.pipeline.artefacts import WorkFolder
from core.documents.pipeline.stages.job import nobody_waits
from core.models.meter import Cancel
from core.platform.errors import RetryableServiceError

ATTEMPTS = 3
"""Deaths of the ingestion process alone in one stage of a document before the document is set aside."""


@dataclass(eq=False, slots=True)
class DocumentRun:
    """Through some stages, alone or with others."""

    document: Document
    work: WorkFolder
    cancel: Cancel
    earlier: list[StageProgress] = field(default_factory=list)
    """Stages that are done and not yet recorded."""
    has_ended: bool = False
    """Before its end: it failed, was cancelled or deleted, or waits for a person or a service."""
    later: RetryableServiceError | None = None
    """Why it has to be tried again."""
    is_suspect: bool = False
    """Whether the process that read it ended at the attempt before."""
    arrived: Callable[[], None] = nobody_waits

    def goes_alone(self, stage: Stage) -> bool:
        """Whether nothing else may run beside it, so that another death is its own."""
        return self.work.deaths(stage) >= ATTEMPTS - 1 or (self.is_suspect and stage is Stage.PARSE)
