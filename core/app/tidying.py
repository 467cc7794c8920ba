"""Up to which time things are deleted for good that are kept for days, and what killed processes left until then."""

from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path

from core.platform.blobs.folder import FolderBlobs
from core.platform.blobs.ports import Blobs
from core.platform.files.atomic_file import remove_unfinished, write_atomically

_APART = timedelta(hours=12)
_WRITTEN = ("files", "trash", "versions", "work")
"""Folders of the data folder that take whole documents and bases."""


def earlier_look(note: Path, now: datetime) -> datetime | None:
    """The time of the look before this one, at least half a day earlier; None if there was none. Notes this one.

    Nothing tells a clock that stands ahead from a machine that was off. So nothing goes for good by a time that was
    seen only once: a clock that has been set right by the next look has deleted nothing.
    """
    before = _noted(note)
    if before and now - _APART < before <= now:
        return None
    write_atomically(note, now.isoformat().encode())
    return before if before and before <= now else None


def remove_half_written(data: Path, blobs: Blobs | None, before: datetime) -> None:
    folders = [data / name for name in _WRITTEN]
    if isinstance(blobs, FolderBlobs):
        folders.append(Path(blobs.place))
    for folder in folders:
        remove_unfinished(folder, before)


def _noted(note: Path) -> datetime | None:
    with suppress(OSError, ValueError):
        moment = datetime.fromisoformat(note.read_text("utf-8"))
        return moment if moment.tzinfo else None
    return None
