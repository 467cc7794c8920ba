"""Result of an upload, shown above the list of documents."""

from collections.abc import Callable

from core.documents.lifecycle.uploads import Taken
from core.documents.model import DocumentStatus
from core.platform.errors import AppError
from pages.components.documents.notices import notify
from pages.components.shell.boundary import sentence_of
from pages.components.shell.language import t


def accepted(name: str, act: Callable[[], Taken | None]) -> bool:
    """Whether the file was not refused.

    Reports refused files, and those whose bytes are here under another name or read already; uploads that await an
    answer appear in their own list.
    """
    try:
        taken = act()
    except AppError as error:
        notify("refused", sentence_of(error))
        return False
    if taken and not taken.is_new:
        _tell_known(name, taken)
    return True


def _tell_known(name: str, taken: Taken) -> None:
    document = taken.document
    is_ready = document.status is DocumentStatus.READY
    if document.name != taken.known_as:
        notify("known", t("documents.upload.renamed", name=name, known=taken.known_as))
    elif is_ready or document.name != name:
        known = t("documents.upload.known", name=name, known=document.name)
        notify("known", known, opens=document.id if is_ready else "")
