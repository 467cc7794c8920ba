"""Uploads that wait for a person's answer: the file and what is asked about it, in the data folder, for some days."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cache
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from core.domain.documents import Effort
from core.domain.ids import content_id
from core.ingest.whole_file import write_whole

DAYS = 7
"""How long an answer is waited for."""
_HEAD, _BYTES = ".json", ".bytes"


class Question(StrEnum):
    CHANGED = "changed"
    """It has the name of a document with other content."""
    START = "start"
    """A model will read along, which costs tokens."""


@dataclass(frozen=True, slots=True)
class Held:
    id: str
    base_id: str
    name: str
    sha256: str
    size: int
    held_at: datetime
    question: Question
    parser: str = ""
    """That of the settings when empty."""
    replaces: str = ""
    """Id of the document that goes when this one is ready."""
    effort: Effort | None = None
    """What it will take, once that is known."""

    @property
    def gone_at(self) -> datetime:
        return self.held_at + timedelta(days=DAYS)


def _utc_now() -> datetime:
    return datetime.now(UTC)


class HeldUploads:
    """Two files an upload: its bytes, and a head to list, written last and removed first."""

    def __init__(self, folder: Path, now: Callable[[], datetime] = _utc_now) -> None:
        self._folder = folder
        self._now = now

    def hold(self, base_id: str, name: str, data: bytes, question: Question, parser: str = "") -> Held:
        """The same file under the same name waits once."""
        digest = sha256(data).hexdigest()
        id = content_id("held", base_id, name, digest)
        write_whole(self._folder / f"{id}{_BYTES}", data)
        held = Held(id, base_id, name, digest, len(data), self._now(), question, parser)
        self.ask(held)
        return held

    def ask(self, held: Held) -> None:
        """Another question about it, or more that is known."""
        write_whole(self._folder / f"{held.id}{_HEAD}", _adapter().dump_json(held))

    def entries(self, base_id: str) -> list[Held]:
        """First come first; what cannot be read is left out."""
        found = [held for path in self._folder.glob(f"*{_HEAD}") if (held := _head(path))]
        return sorted(
            (held for held in found if held.base_id == base_id and self.path(held).is_file()),
            key=lambda held: (held.held_at, held.id),
        )

    def path(self, held: Held) -> Path:
        """Of its bytes; nothing is there when it waits no longer."""
        return self._folder / f"{held.id}{_BYTES}"

    def drop(self, held: Held) -> None:
        for ending in (_HEAD, _BYTES):
            (self._folder / f"{held.id}{ending}").unlink(missing_ok=True)

    def expire(self) -> None:
        """Lets go what nobody answered, and what a killed process left half written."""
        oldest = (self._now() - timedelta(days=DAYS)).timestamp()
        for path in self._folder.glob("*"):
            with suppress(FileNotFoundError):  # answered in this moment
                if path.stat().st_mtime < oldest:
                    path.unlink()


def _head(path: Path) -> Held | None:
    try:
        return _adapter().validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


@cache
def _adapter() -> TypeAdapter[Held]:
    return TypeAdapter(Held)
