"""Documents that were deleted and can come back: what was published of them, in the data folder, for some days."""

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from core.domain.documents import Document, StageProgress
from core.errors import NotFoundError
from core.ingest.whole_file import write_whole
from core.ports import Publication

DAYS = 7
"""How long a deleted document can be brought back."""
_HEAD, _PARTS = ".head.json", ".parts.json.gz"


@dataclass(frozen=True, slots=True)
class Deleted:
    document: Document
    """As it was before."""
    stages: tuple[StageProgress, ...]
    deleted_at: datetime
    replaced_by: str = ""
    """Id of the document that took its place; empty when a person deleted it."""

    @property
    def gone_at(self) -> datetime:
        return self.deleted_at + timedelta(days=DAYS)


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Trash:
    """Two files a document: a head to list, written last and removed first, and its parts."""

    def __init__(self, folder: Path, now: Callable[[], datetime] = _utc_now) -> None:
        self._folder = folder
        self.now = now

    def put(self, deleted: Deleted, publication: Publication | None) -> None:
        """An older one of the same document is overwritten. publication: None when it was not ready."""
        document = deleted.document
        parts = _adapter(Publication | None).dump_json(publication)
        write_whole(self._path(document.id, _PARTS), gzip.compress(parts, 5, mtime=0))
        write_whole(self._path(document.id, _HEAD), _adapter(Deleted).dump_json(deleted))

    def entries(self) -> list[Deleted]:
        """Newest first; heads that cannot be read are left out."""
        found = [deleted for path in self._folder.glob(f"*{_HEAD}") if (deleted := _head(path))]
        return sorted(found, key=lambda deleted: (deleted.deleted_at, deleted.document.id), reverse=True)

    def take(self, document_id: str) -> tuple[Deleted, Publication | None]:
        """It stays until it is dropped. Raises NotFoundError when it is gone or cannot be read."""
        deleted = _head(self._path(document_id, _HEAD))
        if deleted is None:
            raise NotFoundError("documents.trash.missing")
        try:
            parts: Publication | None = _adapter(Publication | None).validate_json(
                gzip.decompress(self._path(document_id, _PARTS).read_bytes())
            )
        except (OSError, EOFError, ValidationError) as error:
            raise NotFoundError("documents.trash.missing") from error
        return deleted, parts

    def drop(self, document_id: str) -> None:
        for ending in (_HEAD, _PARTS):
            self._path(document_id, ending).unlink(missing_ok=True)

    def holds_file(self, sha256: str) -> bool:
        return any(deleted.document.sha256 == sha256 for deleted in self.entries())

    def _path(self, document_id: str, ending: str) -> Path:
        if not document_id.isalnum():
            raise ValueError("a document's id is letters and digits")
        return self._folder / f"{document_id}{ending}"


def _head(path: Path) -> Deleted | None:
    try:
        deleted: Deleted = _adapter(Deleted).validate_json(path.read_bytes())
    except (FileNotFoundError, ValidationError):
        return None
    return deleted


def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
