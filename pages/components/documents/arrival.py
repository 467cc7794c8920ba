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

    Reports refused and known files; uploads that await an answer appear in their own list.
    """
    try:
        taken = act()
    except AppError as error:
        notify("refused", sentence_of(error))
        return False
    if taken and not taken.is_new and taken.document.status is DocumentStatus.READY:
        known = t("documents.upload.known", name=name, known=taken.document.name)
        notify("known", known, opens=taken.document.id)
    return True
