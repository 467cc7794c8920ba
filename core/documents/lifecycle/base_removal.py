"""Deletes knowledge bases, and restores them with all of their documents for a limited time."""

from collections.abc import Sequence
from contextlib import suppress

from core.documents.lifecycle.base_trash import BaseTrash, DeletedBase
from core.documents.lifecycle.removal import Removal
from core.documents.lifecycle.trash import Deleted
from core.documents.model import ACTIVE, DocumentFilter, KnowledgeBase
from core.documents.ports.bases import Bases
from core.documents.ports.documents import Documents
from core.graph.files.edit_files import MAX_EDITS
from core.graph.ports import GraphEdits
from core.platform.errors import AppError, NotFoundError
from core.platform.identity import SYSTEM, Role, acting
from core.search.ports import LEVELS, ChunkIndex, LexicalIndex

_UNDER_WAY = DocumentFilter(tuple(ACTIVE))


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
        """Moves it to the trash. Raises NotFoundError if it no longer exists."""
        base = self._bases.get(base_id)
        self._documents.require(base_id, Role.OWNER)
        edits = tuple(reversed(self._edits.log(base_id, MAX_EDITS)))
        self._trash.put(base, self._removal.now(), edits)
        self._bases.delete(base_id)
        for index in self._indexes:
            index.delete_base(base_id)
        self.expire()

    def deleted(self) -> list[DeletedBase]:
        """Restorable bases, newest first."""
        there = {(base.id, base.created_at) for base in self._bases.all()}
        now = self._removal.now()
        return [
            kept
            for kept in self._trash.entries()
            if (kept.base.id, kept.base.created_at) not in there and kept.gone_at > now and _may_see(kept)
        ]

    def restore(self, base_id: str) -> KnowledgeBase:
        """As it was; into a base that has been made anew with its name, its documents one by one.

        Raises NotFoundError when the base is gone for good, InputError when another one has its name now.
        """
        kept = next((each for each in self._trash.entries() if each.base.id == base_id and _may_see(each)), None)
        if kept is None:
            raise NotFoundError("documents.trash.missing_base")
        if not kept.file:
            self._restore_from_trash(kept)
        elif any(base.id == base_id for base in self._bases.all()):
            self._restore_into(kept)
        else:
            self._restore_whole(kept)
        if not self._edits.log(base_id, 1):
            self._edits.add_log(base_id, kept.edits)
        self._trash.drop(kept)
        return self._bases.get(base_id)

    def _restore_from_trash(self, kept: DeletedBase) -> None:
        """Without documents that cannot be read any more."""
        self._bases.restore(kept.base)
        for document_id in kept.document_ids:
            with suppress(NotFoundError):
                self._removal.restore(document_id)

    def _restore_into(self, kept: DeletedBase) -> None:
        for document, stages, publication in self._trash.documents(kept):
            self._removal.bring_back(Deleted(document, stages, kept.deleted_at), publication)

    def _restore_whole(self, kept: DeletedBase) -> None:
        words, base_id = self._indexes[1], kept.base.id
        try:
            for level in LEVELS:
                words.replace(base_id, level, self._trash.index_entries(kept, level))
            self._trash.restore(kept)
        except AppError:
            words.delete_base(base_id)
            raise
        for document in self._documents.find(base_id, _UNDER_WAY):
            self._removal.resume(document)

    def forget(self, base_ids: Sequence[str]) -> None:
        """Deletes them permanently with their documents."""
        self._drop([kept for kept in self._trash.entries() if kept.base.id in base_ids and _may_see(kept)])

    def expire(self) -> None:
        """Removes entries past their time limit."""
        now = self._removal.now()
        self._drop([kept for kept in self._trash.entries() if kept.gone_at <= now])

    def _drop(self, gone: Sequence[DeletedBase]) -> None:
        for kept in gone:
            files = self._trash.drop(kept)
            self._removal.drop(kept.document_ids)
            self._removal.drop_files(files)


def _may_see(kept: DeletedBase) -> bool:
    """A base that is gone has no rows any more that could say so."""
    person = acting()
    return person is None or person is SYSTEM or person.id == kept.base.owner_id
