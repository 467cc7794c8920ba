"""Deletes knowledge bases, and restores them with all of their documents for a limited time."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from core.domain.documents import KnowledgeBase
from core.domain.graph_edits import LoggedEdit
from core.domain.people import SYSTEM, Role, acting
from core.errors import NotFoundError
from core.ingest.lifecycle.entry_store import EntryStore
from core.ingest.lifecycle.removal import Removal
from core.ingest.lifecycle.trash import DAYS
from core.kg.edit_files import MAX_EDITS
from core.ports.bases import Bases
from core.ports.blobs import Blobs
from core.ports.documents import Documents
from core.ports.graph import GraphEdits
from core.ports.search import ChunkIndex, LexicalIndex


@dataclass(frozen=True, slots=True)
class DeletedBase:
    base: KnowledgeBase
    """As it was before."""
    document_ids: tuple[str, ...]
    """Its deleted documents, in the order they were added."""
    deleted_at: datetime
    edits: tuple[LoggedEdit, ...] = ()
    """What people changed in its graph, oldest first."""

    @property
    def gone_at(self) -> datetime:
        return self.deleted_at + timedelta(days=DAYS)


def deleted_bases(folder: Path, shared: Blobs | None = None) -> EntryStore[DeletedBase]:
    return EntryStore(folder, DeletedBase, ".base.json", shared=shared)


class BaseRemoval:
    """A deleted base is stored as the list of its documents, which are kept in the trash like others."""

    def __init__(
        self,
        bases: Bases,
        documents: Documents,
        indexes: tuple[ChunkIndex, LexicalIndex],
        removal: Removal,
        edits: GraphEdits,
        store: EntryStore[DeletedBase],
    ) -> None:
        """store: in the folder of the trash."""
        self._bases = bases
        self._documents = documents
        self._indexes = indexes
        self._removal = removal
        self._edits = edits
        self._store = store

    def remove(self, base_id: str) -> None:
        """Moves it to the trash. Raises NotFoundError if it no longer exists."""
        base = self._bases.get(base_id)
        self._documents.require(base_id, Role.OWNER)
        documents = self._documents.of_base(base_id)
        for document in documents:
            self._removal.archive(document)
        edits = tuple(reversed(self._edits.log(base_id, MAX_EDITS)))
        kept = DeletedBase(base, tuple(document.id for document in documents), self._removal.now(), edits)
        self._store.put_head(base_id, kept)
        for document in documents:
            self._removal.stop(document)
        self._bases.delete(base_id)
        for index in self._indexes:
            index.delete_base(base_id)
        self.expire()

    def deleted(self) -> list[DeletedBase]:
        """Restorable bases, newest first."""
        there = {base.id for base in self._bases.all()}
        now = self._removal.now()
        return [kept for kept in self._entries() if kept.base.id not in there and kept.gone_at > now and _may_see(kept)]

    def restore(self, base_id: str) -> KnowledgeBase:
        """With its documents; one that cannot be read any more is left out.

        Raises NotFoundError when the base is gone for good, InputError when another one has its name now.
        """
        kept = self._store.head(base_id)
        if kept is None or not _may_see(kept):
            raise NotFoundError("documents.trash.missing_base")
        self._bases.restore(kept.base)
        if not self._edits.log(base_id, 1):
            self._edits.add_log(base_id, kept.edits)
        for document_id in kept.document_ids:
            with suppress(NotFoundError):
                self._removal.restore(document_id)
        self._store.drop(base_id)
        return self._bases.get(base_id)

    def forget(self, base_ids: Sequence[str]) -> None:
        """Deletes them permanently with their documents."""
        self._drop([kept for kept in self._entries() if kept.base.id in base_ids and _may_see(kept)])

    def expire(self) -> None:
        """Removes entries past their time limit."""
        now = self._removal.now()
        self._drop([kept for kept in self._entries() if kept.gone_at <= now])

    def _drop(self, gone: Sequence[DeletedBase]) -> None:
        for kept in gone:
            self._store.drop(kept.base.id)
            self._removal.drop(kept.document_ids)

    def _entries(self) -> list[DeletedBase]:
        """Newest first; unreadable entries are skipped."""
        return sorted(self._store.heads(), key=lambda kept: (kept.deleted_at, kept.base.id), reverse=True)


def _may_see(kept: DeletedBase) -> bool:
    """A base that is gone has no rows any more that could say so."""
    person = acting()
    return person is None or person is SYSTEM or person.id == kept.base.owner_id
