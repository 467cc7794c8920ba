"""Taking knowledge bases away, and bringing them back with all of their documents for some days."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from core.domain.documents import KnowledgeBase
from core.errors import NotFoundError
from core.ingest.removal import Removal
from core.ingest.trash import DAYS
from core.ingest.whole_file import write_whole
from core.ports import ChunkIndex, LexicalIndex, Library

_ENDING = ".base.json"


@dataclass(frozen=True, slots=True)
class DeletedBase:
    base: KnowledgeBase
    """As it was before."""
    document_ids: tuple[str, ...]
    """Those that went with it, in the order they were added."""
    deleted_at: datetime

    @property
    def gone_at(self) -> datetime:
        return self.deleted_at + timedelta(days=DAYS)


class BaseRemoval:
    """A base lies in the trash as a note of which documents it had; these lie there like others."""

    def __init__(
        self, library: Library, indexes: tuple[ChunkIndex, LexicalIndex], removal: Removal, folder: Path
    ) -> None:
        """folder: of the trash."""
        self._library = library
        self._indexes = indexes
        self._removal = removal
        self._folder = folder

    def remove(self, base_id: str) -> None:
        """Into the trash. Raises NotFoundError when it is gone already."""
        base = self._library.base(base_id)
        documents = self._library.documents(base_id)
        for document in documents:
            self._removal.archive(document)
        kept = DeletedBase(base, tuple(document.id for document in documents), self._removal.now())
        write_whole(self._path(base_id), _adapter().dump_json(kept))
        for document in documents:
            self._removal.stop(document)
        self._library.delete_base(base_id)
        for index in self._indexes:
            index.delete_base(base_id)
        self.expire()

    def deleted(self) -> list[DeletedBase]:
        """What can be brought back, newest first."""
        there = {base.id for base in self._library.bases()}
        now = self._removal.now()
        return [kept for kept in self._entries() if kept.base.id not in there and kept.gone_at > now]

    def restore(self, base_id: str) -> KnowledgeBase:
        """With its documents; one that cannot be read any more is left out.

        Raises NotFoundError when the base is gone for good, InputError when another one has its name now.
        """
        kept = _read(self._path(base_id))
        if kept is None:
            raise NotFoundError("documents.trash.missing_base")
        self._library.restore_base(kept.base)
        for document_id in kept.document_ids:
            with suppress(NotFoundError):
                self._removal.restore(document_id)
        self._path(base_id).unlink(missing_ok=True)
        return self._library.base(base_id)

    def forget(self, base_ids: Sequence[str]) -> None:
        """Out of the trash, for good, with its documents."""
        for kept in [kept for kept in self._entries() if kept.base.id in base_ids]:
            self._path(kept.base.id).unlink(missing_ok=True)
            self._removal.forget(kept.document_ids)

    def expire(self) -> None:
        """Forgets what was deleted too long ago."""
        now = self._removal.now()
        self.forget([kept.base.id for kept in self._entries() if kept.gone_at <= now])

    def _entries(self) -> list[DeletedBase]:
        """Newest first; notes that cannot be read are left out."""
        found = [kept for path in self._folder.glob(f"*{_ENDING}") if (kept := _read(path))]
        return sorted(found, key=lambda kept: (kept.deleted_at, kept.base.id), reverse=True)

    def _path(self, base_id: str) -> Path:
        if not base_id.isalnum():
            raise ValueError("a base's id is letters and digits")
        return self._folder / f"{base_id}{_ENDING}"


def _read(path: Path) -> DeletedBase | None:
    try:
        return _adapter().validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


@cache
def _adapter() -> TypeAdapter[DeletedBase]:
    return TypeAdapter(DeletedBase)
