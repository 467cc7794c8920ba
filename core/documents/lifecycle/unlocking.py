"""Opens encrypted PDFs with a password that is never stored; a decrypted copy replaces the document's file."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from core.documents.estimating.forecast import Measure
from core.documents.lifecycle.file_store import FileStore
from core.documents.lifecycle.uploads import Uploads
from core.documents.model import Document, DocumentStatus
from core.documents.ports.documents import Documents
from core.platform.errors import InputError
from core.platform.identity import Role

ENCRYPTED = "ingest.error.encrypted"
LONGEST_PASSWORD = 500

Unlock = Callable[[Path, str, str, Path], None]
"""(encrypted file, its name, password, where the copy goes). Raises InputError for a wrong password."""


class Unlocking:
    def __init__(
        self,
        documents: Documents,
        files: FileStore,
        uploads: Uploads,
        drop_files: Callable[[Collection[str]], None],
        ways: tuple[Unlock, Measure],
    ) -> None:
        """drop_files: deletes those of the files, by SHA-256, that nothing needs any more."""
        self._documents = documents
        self._files = files
        self._uploads = uploads
        self._drop_files = drop_files
        self._unlock, self._measure = ways

    def waits(self, document: Document) -> bool:
        """Whether the document failed because it needs a password."""
        is_pdf = document.name.casefold().endswith(".pdf")
        return document.status is DocumentStatus.FAILED and document.error_key == ENCRYPTED and is_pdf

    def is_locked(self, path: Path) -> bool:
        """Whether the file is a PDF that needs a password. Raises AppError when that cannot be found out."""
        try:
            self._measure(path, path.name)
        except InputError as error:
            return error.key == ENCRYPTED
        return False

    def open_document(self, document_id: str, password: str) -> Document | None:
        """The document that is read now, from a copy without password; None if the user has to be asked about costs.

        The encrypted one is gone. Raises InputError for a wrong password, NotFoundError.
        """
        locked = self._documents.get(document_id)
        self._documents.require(locked.base_id, Role.EDITOR)
        path = self._files.path(locked.sha256)
        if not path.is_file():
            raise InputError("ingest.error.file_missing", name=locked.name)
        with self.unlocked(path, locked.name, password) as copy:
            data, parser = copy.read_bytes(), locked.parser_choice
        taken = self._uploads.begin_new(locked.base_id, locked.name, data, locked.replaces, parser)
        opened = taken.document if taken else None
        if opened is None or opened.id != locked.id:
            self._documents.delete(locked.id)
            self._drop_files({locked.sha256})
        return opened

    @contextmanager
    def unlocked(self, path: Path, name: str, password: str) -> Iterator[Path]:
        """A copy without password, which is gone after the block. Raises InputError."""
        if not password or len(password) > LONGEST_PASSWORD:
            raise InputError("ingest.error.password", name=name)
        with TemporaryDirectory(prefix="unlock-") as folder:
            copy = Path(folder) / "copy.pdf"
            self._unlock(path, name, password, copy)
            yield copy
