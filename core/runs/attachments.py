"""Files that a question is sent with, on their way into the knowledge base."""

from dataclasses import dataclass
from enum import StrEnum

from core.documents.model import Stage


class AttachmentStatus(StrEnum):
    """The status of the document, or why there is none."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    READY = "ready"
    FAILED = "failed"
    CANCELLED = "cancelled"
    UNDECIDED = "undecided"
    """The upload waits for the reader's decision."""
    GONE = "gone"
    """The upload was discarded, or the document was deleted."""


SETTLED = frozenset(
    {AttachmentStatus.READY, AttachmentStatus.FAILED, AttachmentStatus.CANCELLED, AttachmentStatus.GONE}
)


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """Identity of a file; a knowledge base stores the same bytes once."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Attachment:
    """How far an attached file has come."""

    name: str
    """Untrusted."""
    status: AttachmentStatus
    share: float = 0.0
    """0..1: part of the reading that is done, with two decimals."""
    stage: Stage | None = None
    """The current stage."""
    error_key: str = ""
    """Catalogue key of the failure, with its parameters; empty if none."""
    error_params: tuple[tuple[str, str], ...] = ()
