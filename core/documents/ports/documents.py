"""Documents of knowledge bases, whatever state they are in."""

from collections.abc import Collection, Mapping
from typing import Protocol

from core.documents.model import (
    EVERY,
    DeletionPreview,
    Document,
    DocumentFilter,
    DocumentOrder,
    DocumentStatus,
)
from core.platform.identity import Role


class Documents(Protocol):
    def add(
        self, base_id: str, name: str, sha256: str, size: int, media_type: str, parser: str = ""
    ) -> tuple[Document, bool]:
        """The document and whether it is new: the same bytes in the same base are one document.

        parser: the one chosen for a new document; that of the settings when empty.
        """

    def of_base(self, base_id: str) -> list[Document]:
        """All documents in the order they were added, for batch work and never for a page or a question."""

    def find(
        self,
        base_id: str,
        wanted: DocumentFilter = EVERY,
        order: DocumentOrder = DocumentOrder.OLDEST,
        limit: int | None = None,
        skip: int = 0,
    ) -> list[Document]: ...

    def ready_names(self, base_id: str, limit: int) -> dict[str, str]:
        """The file names of the first ready documents by their ids, in the order they were added."""

    def counts(self, base_id: str, wanted: DocumentFilter = EVERY) -> Mapping[DocumentStatus, int]:
        """How many documents have each status; a status that none has may be missing."""

    def existing(self, document_ids: Collection[str]) -> frozenset[str]:
        """Those of the ids that are documents of any base."""

    def several(self, document_ids: Collection[str]) -> list[Document]:
        """The documents of any base with these ids, unordered; unknown ids are left out."""

    def some(self, base_id: str, document_ids: Collection[str]) -> list[Document]:
        """The documents of the base with these ids, unordered; others are left out."""

    def with_content(self, base_id: str, sha256: str) -> Document | None: ...

    def called(self, base_id: str, names: Collection[str]) -> tuple[str, ...]:
        """Ids of the ready documents whose title or file name, written as terms, is one of the names.

        In the order the documents were added.
        """

    def get(self, document_id: str) -> Document:
        """Raises NotFoundError."""

    def mark_replacement(self, document_id: str, replaced_id: str) -> None:
        """Deletes the other document when this one is published; "" for none. Raises NotFoundError."""

    def choose_parser(self, document_id: str, parser: str) -> None:
        """Sets the parser of the next reading; empty for that of the settings. Raises NotFoundError."""

    def rename(self, document_id: str, name: str, media_type: str) -> None:
        """Changes the name, which decides how some files are read. Raises NotFoundError."""

    def mark_form(self, document_id: str, form: bool) -> None:
        """Whether the document is a form that readers download and fill in. Raises NotFoundError."""

    def preview_deletion(self, *document_ids: str) -> DeletionPreview:
        """Effects of deleting all of them at once. Raises NotFoundError when one is gone."""

    def delete(self, document_id: str, archived: int | None = None) -> bool:
        """Removes exactly what only this document supports. Nothing happens when it is gone already.

        archived: graph version of the base; False, and it stays, if the base has another one.
        """

    def require(self, base_id: str, role: Role) -> None:
        """Checks the role of the acting person, for work that begins outside SQL.

        Raises NotFoundError for a base that the person who acts does not see, ForbiddenError for a lesser role.
        """

    def files_in_use(self, sha256s: Collection[str]) -> frozenset[str]:
        """Those of the hashes that are the content of a document of any base."""
