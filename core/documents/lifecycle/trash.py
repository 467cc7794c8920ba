"""Deleted documents that can be restored: their published parts, kept in the data folder for some days."""

import gzip
import zlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from pydantic import ValidationError

from core.documents.lifecycle.entry_store import EntryStore
from core.documents.model import Document, StageProgress
from core.documents.ports.publishing import Publication
from core.platform.blobs.ports import Blobs
from core.platform.clock import Clock, utc_now
from core.platform.errors import NotFoundError
from core.platform.type_adapters import adapter

DAYS = 7
"""How long a deleted document can be restored."""


@dataclass(frozen=True, slots=True)
class Deleted:
    document: Document
    """As it was before."""
    stages: tuple[StageProgress, ...]
    deleted_at: datetime
    replaced_by: str = ""
    """Id of the document that replaced it; empty if the user deleted it."""

    @property
    def gone_at(self) -> datetime:
        return self.deleted_at + timedelta(days=DAYS)


class Trash:
    def __init__(self, folder: Path, now: Clock = utc_now, shared: Blobs | None = None) -> None:
        self.store = EntryStore(folder, Deleted, ".head.json", ".parts.json.gz", shared)
        self.now = now

    def put(self, deleted: Deleted, publication: Publication | None) -> None:
        """Overwrites an older entry of the same document. `publication` is None if it was not ready."""
        id = deleted.document.id
        self.store.put_body(id, gzip.compress(adapter(Publication | None).dump_json(publication), 5, mtime=0))
        self.store.put_head(id, deleted)

    def entries(self) -> list[Deleted]:
        """Newest first; unreadable entries are skipped."""
        return sorted(self.store.heads(), key=lambda deleted: (deleted.deleted_at, deleted.document.id), reverse=True)

    def take(self, document_id: str) -> tuple[Deleted, Publication | None]:
        """The entry stays until it is dropped. Raises NotFoundError if it is gone or unreadable."""
        deleted = self.store.head(document_id)
        if deleted is None:
            raise NotFoundError("documents.trash.missing")
        try:
            parts = adapter(Publication | None).validate_json(
                gzip.decompress(self.store.body_path(document_id).read_bytes())
            )
        except (OSError, EOFError, zlib.error, ValidationError) as error:
            raise NotFoundError("documents.trash.missing") from error
        return deleted, parts

    def published(self, document_id: str) -> tuple[Document, Publication] | None:
        """A document that was ready when it was deleted; None if it is gone."""
        try:
            deleted, publication = self.take(document_id)
        except NotFoundError:
            return None
        return (deleted.document, publication) if publication else None

    def drop(self, document_id: str) -> None:
        self.store.drop(document_id)

    def files(self) -> frozenset[str]:
        """SHA-256 of the files of what can be restored."""
        return frozenset(deleted.document.sha256 for deleted in self.entries())
