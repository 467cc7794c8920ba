"""Opens encrypted PDFs with a password that is never stored; a decrypted copy replaces the document's file."""

from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from core.documents.estimating.forecast import Measure
from core.documents.lifecycle.file_store import FileStore
from core.documents.lifecycle.intake import Intake
from core.documents.model import Document, DocumentStatus
from core.documents.ports.documents import Documents
from core.platform.errors import InputError

ENCRYPTED = "ingest.error.encrypted"
LONGEST_PASSWORD = 500

Unlock = Callable[[Path, str, str, Path], None]
"""(encrypted file, its name, password, where the copy goes). Raises InputError for a wrong password."""


class Unlocking:
    def __init__(self, documents: Documents, files: FileStore, intake: Intake, ways: tuple[Unlock, Measure]) -> None:
        self._documents = documents
        self._files = files
        self._unlock, self._measure = ways
        self._intake = intake

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

    def open_document(self, document_id: str, password: str) -> Document:
        """The document that is read now, from a copy without password; the encrypted one is gone.

        Raises InputError for a wrong password, NotFoundError.
        """
        locked = self._documents.get(document_id)
        path = self._files.path(locked.sha256)
        if not path.is_file():
            raise InputError("ingest.error.file_missing", name=locked.name)
        opened, is_new = self.add(locked.base_id, locked.name, path, password, locked.parser_choice)
        if is_new and locked.replaces:
            self._documents.mark_replacement(opened.id, locked.replaces)
        if opened.id != locked.id:
            self._documents.delete(locked.id)
            if not self._documents.files_in_use([locked.sha256]):
                self._files.delete(locked.sha256)
        return opened

    def add(self, base_id: str, name: str, path: Path, password: str, parser: str = "") -> tuple[Document, bool]:
        """As Intake.add, with the copy of an encrypted file. Raises InputError."""
        if not password or len(password) > LONGEST_PASSWORD:
            raise InputError("ingest.error.password", name=name)
        with TemporaryDirectory(prefix="unlock-") as folder:
            copy = Path(folder) / "copy.pdf"
            self._unlock(path, name, password, copy)
            return self._intake.add(base_id, name, copy, parser=parser)
