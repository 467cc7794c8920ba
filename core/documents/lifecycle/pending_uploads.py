"""Uploads that await the user's decision: the file and the question about it, kept in the data folder for some days."""

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from hashlib import sha256
from pathlib import Path

from core.documents.lifecycle.entry_store import EntryStore
from core.documents.model import Effort
from core.platform.clock import Clock, utc_now
from core.platform.ids import content_id

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

    def expire(self) -> None:
        """Removes uploads nobody decided on, and what a killed process left half written."""
        oldest = (self._now() - timedelta(days=DAYS)).timestamp()
        for path in self._folder.glob("*"):
            with suppress(FileNotFoundError):  # answered in this moment
                if path.stat().st_mtime < oldest:
                    path.unlink()
