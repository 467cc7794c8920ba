"""An encrypted PDF as a copy without its password, made by a limited child process; the password is not kept."""

from pathlib import Path

from core.documents.parsing.pdf.child_answer import answer_of_child

_SECONDS = 150.0


def unlocked_pdf(path: Path, name: str, password: str, target: Path) -> None:
    """Writes the copy to target. Raises InputError for a wrong password or a damaged file, ServiceError."""
    arguments = [str(path.resolve()), name, str(target.resolve())]
    answer_of_child("core.documents.parsing.pdf.unlock_process", arguments, name, _SECONDS, {"password": password})
