"""Deleted knowledge bases that can be restored: a head for the list, and a file with everything they hold."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

from core.documents.lifecycle.entry_store import EntryStore
from core.documents.lifecycle.trash import DAYS
from core.documents.model import KnowledgeBase
from core.documents.ports.base_archive import ArchivedDocument, BaseArchive
from core.graph.edits import LoggedEdit
from core.platform.blobs.ports import Blobs
from core.search.ports import IndexEntry


@dataclass(frozen=True, slots=True)
class DeletedBase:
    base: KnowledgeBase
    """As it was before."""
    document_ids: tuple[str, ...]
    """Of a base deleted by an earlier version, which kept its documents in the trash one by one."""
    deleted_at: datetime
    edits: tuple[LoggedEdit, ...] = ()
    """What people changed in its graph, oldest first."""
    documents: int = 0
    """In its file."""
    file: str = ""
    """Name of its entry; empty where there is no file, because an earlier version has deleted it."""

    @property
    def gone_at(self) -> datetime:
        return self.deleted_at + timedelta(days=DAYS)

    @property
    def count(self) -> int:
        """Of its documents."""
        return self.documents or len(self.document_ids)

    @property
    def key(self) -> str:
        """Of the entry."""
        return self.file or self.base.id


def deleted_bases(folder: Path, shared: Blobs | None = None) -> EntryStore[DeletedBase]:
    return EntryStore(folder, DeletedBase, ".base.json", ".base.sqlite", shared)


class BaseTrash:
    def __init__(self, store: EntryStore[DeletedBase], archive: BaseArchive) -> None:
        """store: in the folder of the trash."""
        self._store = store
        self._archive = archive

    def put(self, base: KnowledgeBase, deleted_at: datetime, edits: tuple[LoggedEdit, ...]) -> None:
        name = f"{base.id}{uuid4().hex}"  # another base of this name, with the same id, can be deleted too
        with self._store.new_body(name) as file:
            number = self._archive.write(base.id, file)
        self._store.put_head(name, DeletedBase(base, (), deleted_at, edits, number, name))

    def entries(self) -> list[DeletedBase]:
        """Newest first; unreadable entries are skipped."""
        return sorted(self._store.heads(), key=lambda kept: (kept.deleted_at, kept.base.id), reverse=True)

    def restore(self, kept: DeletedBase) -> None:
        """In SQL, whole or not at all. Raises NotFoundError, InputError when another base has its name now."""
        self._archive.restore(kept.base, self._file(kept))

    def index_entries(self, kept: DeletedBase, level: str) -> Iterator[list[IndexEntry]]:
        return self._archive.entries(kept.base.id, level, self._file(kept))

    def documents(self, kept: DeletedBase) -> Iterator[ArchivedDocument]:
        return self._archive.documents(kept.base.id, self._file(kept))

    def drop(self, kept: DeletedBase) -> frozenset[str]:
        """SHA-256 of the files that its documents needed."""
        files = self._archive.files(self._file(kept))
        self._store.drop(kept.key)
        return files

    def files(self) -> frozenset[str]:
        """SHA-256 of the files of what can be restored."""
        return frozenset().union(*(self._archive.files(self._file(kept)) for kept in self._store.heads()))

    def _file(self, kept: DeletedBase) -> Path:
        return self._store.body_path(kept.key)
