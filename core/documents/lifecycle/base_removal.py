"""Deletes knowledge bases, and restores them with all of their documents for a limited time.

A deleted base is an entry of the trash: a head for the list, and a file with everything that the base held.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from uuid import uuid4

from core.documents.lifecycle.entry_store import EntryStore
from core.documents.lifecycle.removal import ATTEMPTS, Removal
from core.documents.lifecycle.trash import DAYS, Deleted
from core.documents.model import ACTIVE, DocumentFilter, KnowledgeBase
from core.documents.ports.bases import ArchivedDocument, BaseArchive, Bases
from core.documents.ports.documents import Documents
from core.graph.edits import LoggedEdit
from core.graph.files.json_files import MAX_EDITS
from core.graph.ports import GraphEdits
from core.platform.blobs.ports import Blobs
from core.platform.errors import InputError, NotFoundError, RetryableServiceError
from core.platform.identity import SYSTEM, Role, acting
from core.search.ports import LEVELS, ChunkIndex, IndexEntry, LexicalIndex


@dataclass(frozen=True, slots=True)
class DeletedBase:
    base: KnowledgeBase
    """As it was before."""
    deleted_at: datetime
    edits: tuple[LoggedEdit, ...]
    """Changes that people made in its graph, oldest first."""
    documents: int
    """Number of documents in its file."""
    file: str
    """Name of its entry in the trash."""

    @property
    def gone_at(self) -> datetime:
        return self.deleted_at + timedelta(days=DAYS)


def deleted_bases(folder: Path, shared: Blobs | None = None) -> EntryStore[DeletedBase]:
    return EntryStore(folder, DeletedBase, ".base.json", ".base.sqlite", shared)


class BaseTrash:
    def __init__(self, store: EntryStore[DeletedBase], archive: BaseArchive) -> None:
        """store: in the folder of the trash."""
        self._store = store
        self._archive = archive

    def put(self, base: KnowledgeBase, deleted_at: datetime, edits: tuple[LoggedEdit, ...]) -> DeletedBase:
        name = f"{base.id}{uuid4().hex}"  # another base of this name, with the same id, can be deleted too
        with self._store.new_body(name) as file:
            number = self._archive.write(base.id, file)
        kept = DeletedBase(base, deleted_at, edits, number, name)
        self._store.put_head(name, kept)
        return kept

    def entries(self) -> list[DeletedBase]:
        """Newest first; unreadable entries are skipped."""
        return sorted(self._store.heads(), key=lambda kept: (kept.deleted_at, kept.base.id), reverse=True)

    def restore(self, kept: DeletedBase) -> None:
        """In SQL, whole or not at all. Raises NotFoundError, InputError when another base has its name now."""
        self._archive.restore(kept.base, self._file(kept), kept.edits)

    def index_entries(self, kept: DeletedBase, level: str) -> Iterator[list[IndexEntry]]:
        return self._archive.entries(kept.base.id, level, self._file(kept))

    def documents(self, kept: DeletedBase) -> Iterator[ArchivedDocument]:
        return self._archive.documents(kept.base.id, self._file(kept))

    def drop(self, kept: DeletedBase) -> frozenset[str]:
        """SHA-256 of the files that its documents needed."""
        files = self._archive.files(self._file(kept))
        self._store.drop(kept.file)
        return files

    def files(self) -> frozenset[str]:
        """SHA-256 of the files of what can be restored."""
        return frozenset().union(*(self._archive.files(self._file(kept)) for kept in self._store.heads()))

    def _file(self, kept: DeletedBase) -> Path:
        return self._store.body_path(kept.file)


class BaseRemoval:
    """A deleted base is kept whole, in one file of the trash."""

    def __init__(
        self,
        bases: Bases,
        documents: Documents,
        indexes: tuple[ChunkIndex, LexicalIndex],
        removal: Removal,
        edits: GraphEdits,
        trash: BaseTrash,
    ) -> None:
        self._bases = bases
        self._documents = documents
        self._indexes = indexes
        self._removal = removal
        self._edits = edits
        self._trash = trash

    def remove(self, base_id: str) -> None:
        """Moves it to the trash. Raises NotFoundError if it is gone, ServiceError if it changes all the time."""
        base = self._bases.get(base_id)
        self._documents.require(base_id, Role.OWNER)
        for _ in range(ATTEMPTS):
            version = self._bases.graph_version(base_id)
            edits = tuple(reversed(self._edits.log(base_id, MAX_EDITS)))
            kept = self._trash.put(base, self._removal.now(), edits)
            if self._bases.delete(base_id, (kept.documents, version)):
                break
            self._trash.drop(kept)  # documents came or went meanwhile, or somebody edited something
        else:
            raise RetryableServiceError("storage.busy")
        for index in self._indexes:
            index.delete_base(base_id)

    def deleted(self) -> list[DeletedBase]:
        """Restorable bases, newest first."""
        present = {(base.id, base.created_at) for base in self._bases.all()}
        now = self._removal.now()
        return [
            kept
            for kept in self._trash.entries()
            if (kept.base.id, kept.base.created_at) not in present and kept.gone_at > now and _may_see(kept)
        ]

    def restore(self, base_id: str, file: str = "") -> KnowledgeBase:
        """Restores it as it was, or its documents into a base that was created with its name since.

        It stays in the trash if that base has one of the documents, which stays as it is.
        file: its entry in the trash; the newest of the base if empty, because one of its name can be deleted again.
        Raises NotFoundError when the base is gone for good, InputError when another one has its name now.
        """
        entries = [each for each in self._trash.entries() if each.base.id == base_id and _may_see(each)]
        kept = next((each for each in entries if file in ("", each.file)), None)
        if kept is None:
            raise NotFoundError("documents.trash.missing_base")
        if not any(base.id == base_id for base in self._bases.all()):
            self._restore_whole(kept)
        elif not self._restore_into(kept):
            return self._bases.get(base_id)
        self._trash.drop(kept)
        return self._bases.get(base_id)

    def _restore_into(self, kept: DeletedBase) -> bool:
        """Whether each of its documents was brought back."""
        are_back = [
            self._removal.bring_back(Deleted(document, stages, kept.deleted_at), publication)
            for document, stages, publication in self._trash.documents(kept)
        ]
        if not self._edits.log(kept.base.id, 1):
            self._edits.add_log(kept.base.id, kept.edits)
        return all(are_back)

    def _restore_whole(self, kept: DeletedBase) -> None:
        words, base_id = self._indexes[1], kept.base.id
        try:
            for level in LEVELS:
                words.replace(base_id, level, self._trash.index_entries(kept, level))
            self._trash.restore(kept)
        except (InputError, NotFoundError):  # after a failure of the database it may be there all the same
            words.delete_base(base_id)
            raise
        for document in self._documents.find(base_id, DocumentFilter(ACTIVE)):
            self._removal.resume(document)

    def forget(self, base_ids: Sequence[str]) -> None:
        """Deletes them permanently with their documents."""
        self._drop([kept for kept in self._trash.entries() if kept.base.id in base_ids and _may_see(kept)])

    def expire(self, at: datetime) -> None:
        """Removes entries that were past their time limit then."""
        self._drop([kept for kept in self._trash.entries() if kept.gone_at <= at])

    def _drop(self, gone: Sequence[DeletedBase]) -> None:
        for kept in gone:
            self._removal.drop_files(self._trash.drop(kept))


def _may_see(kept: DeletedBase) -> bool:
    """Whether the base was the acting person's own; a base that is gone has no rows that say who may see it."""
    person = acting()
    return person is None or person is SYSTEM or person.id == kept.base.owner_id
