"""Marks decrypted copies of PDFs by a comment at the end of the file."""

from pathlib import Path

DECRYPTED = "ingest.note.decrypted"
MARK = b"\n%GraphTalk: copy without password\n"


def is_decrypted_copy(path: Path) -> bool:
    with path.open("rb") as file:
        file.seek(0, 2)
        file.seek(max(0, file.tell() - len(MARK)))
        return file.read() == MARK
