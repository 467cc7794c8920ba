"""Waiting for the files that a question was sent with, as the first step of its run."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import timedelta

from core.platform.clock import utc_now
from core.platform.errors import CancelledError
from core.runs.events import AttachmentsRead, Event, NodeFinished, NodeStarted
from core.runs.execution.active_runs import RunControl
from core.runs.model import SETTLED_ATTACHMENTS, AttachedFile, Attachment, AttachmentStatus, Run

READ_ATTACHMENTS = "read_attachments"
WAIT_LIMIT = timedelta(hours=2)
"""Time since the question after which it is asked without the missing files."""
_LOOK_SECONDS = 0.3
LookAtAttachments = Callable[[str, Sequence[AttachedFile]], tuple[Attachment, ...]]
"""(knowledge base, files) -> their state now, in the same order."""


def wait_for_attachments(
    run: Run,
    look: LookAtAttachments,
    cancel: RunControl,
    emit: Callable[[Event], None],
) -> None:
    """Return when every file is read, or will not be. Raises CancelledError when the run is stopped."""
    emit(NodeStarted(READ_ATTACHMENTS, 1))
    shown: tuple[Attachment, ...] = ()
    while True:
        found = look(run.base_id, run.options.attached)
        if found != shown:
            emit(AttachmentsRead(found))
            shown = found
        late = utc_now() - run.started_at > WAIT_LIMIT
        if late or all(file.status in SETTLED_ATTACHMENTS for file in found):
            break
        if cancel.wait(_LOOK_SECONDS):
            raise CancelledError("error.cancelled")
    emit(_finished(shown))


def _finished(files: Sequence[Attachment]) -> NodeFinished:
    counts = Counter(file.status for file in files)
    ready = counts[AttachmentStatus.READY]
    outcome = "read" if ready == len(files) else "partly_read" if ready else "not_read"
    details = (("read", str(ready)), ("count", str(len(files))))
    return NodeFinished(READ_ATTACHMENTS, 1, 0.0, outcome, "run.reason.attachments", details)
