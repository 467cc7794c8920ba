"""Uploads that await the user's decision, kept in the data folder for some days, and the state of attached files."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from core.documents.lifecycle.entry_store import EntryStore
from core.documents.model import DocumentStatus, Effort, share_done
from core.documents.ports.documents import Documents
from core.documents.ports.ingestion import IngestRecords
from core.platform.clock import Clock, utc_now
from core.platform.ids import content_id
from core.runs.model import AttachedFile, Attachment, AttachmentStatus

DAYS = 7
"""How long a decision may take."""


class UploadQuestion(StrEnum):
    CHANGED = "changed"
    """A document of the same name with other content exists."""
    START = "start"
    """A model takes part in reading, which costs tokens."""


@dataclass(frozen=True, slots=True)
class Held:
    id: str
    base_id: str
    name: str
    sha256: str
    size: int
    held_at: datetime
    question: UploadQuestion
    parser: str = ""
    """Empty for the configured one."""
    replaces: str = ""
    """Id of the document to delete when this one is ready."""
    effort: Effort | None = None
    """The estimate, once known."""

    @property
    def gone_at(self) -> datetime:
        return self.held_at + timedelta(days=DAYS)


class PendingUploads:
    def __init__(self, folder: Path, now: Clock = utc_now) -> None:
        self._folder = folder
        self._store = EntryStore(folder, Held, ".json", ".bytes")
        self._now = now

    def hold(self, base_id: str, name: str, data: bytes, question: UploadQuestion, parser: str = "") -> Held:
        """The same file under the same name is stored once."""
        digest = sha256(data).hexdigest()
        id = content_id("held", base_id, name, digest)
        self._store.put_body(id, data)
        held = Held(id, base_id, name, digest, len(data), self._now(), question, parser)
        self.ask(held)
        return held

    def ask(self, held: Held) -> None:
        """Changes the question, or adds what has become known."""
        self._store.put_head(held.id, held)

    def entries(self, base_id: str) -> list[Held]:
        """Oldest first; unreadable entries are skipped."""
        return sorted(
            (held for held in self._store.heads() if held.base_id == base_id and self.path(held).is_file()),
            key=lambda held: (held.held_at, held.id),
        )

    def path(self, held: Held) -> Path:
        """Path of its bytes; the file is gone once the upload no longer waits."""
        return self._store.body_path(held.id)

    def drop(self, held: Held) -> None:
        self._store.drop(held.id)

    def expire(self, at: datetime) -> None:
        """Removes uploads without a decision, and files that a killed process left incomplete, which were old then."""
        oldest = (at - timedelta(days=DAYS)).timestamp()
        for path in self._folder.glob("*"):
            with suppress(FileNotFoundError):  # answered in this moment
                if path.stat().st_mtime < oldest:
                    path.unlink()


class Attachments:
    """State of the files that a question was sent with: documents, or uploads that await a decision."""

    def __init__(self, documents: Documents, records: IngestRecords, pending: PendingUploads) -> None:
        self._documents = documents
        self._records = records
        self._pending = pending

    def look(self, base_id: str, files: Sequence[AttachedFile]) -> tuple[Attachment, ...]:
        """In the order of the files."""
        return tuple(self._state(base_id, file) for file in files)

    def _state(self, base_id: str, file: AttachedFile) -> Attachment:
        document = self._documents.with_content(base_id, file.sha256)
        if document is None:
            held = any(upload.sha256 == file.sha256 for upload in self._pending.entries(base_id))
            return Attachment(file.name, AttachmentStatus.UNDECIDED if held else AttachmentStatus.GONE)
        stages = self._records.stages(document.id) if document.status is DocumentStatus.RUNNING else []
        under_way = next((row.stage for row in stages if row.status == "running"), None)
        return Attachment(
            file.name,
            AttachmentStatus(document.status.value),
            round(share_done(stages), 2),
            under_way,
            document.error_key,
            document.error_params,
        )
