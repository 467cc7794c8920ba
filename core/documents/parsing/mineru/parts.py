"""Reads the parts of a long document in parallel: results in order, one progress, stopped by the first failure."""

import threading
from collections.abc import Callable, Sequence

from core.documents.parsing.pdf.parts import PdfPart
from core.documents.ports.parsing import Progress
from core.documents.reading.content_list import ListedBlock
from core.models.meter import Cancel
from core.models.parallel import spread
from core.platform.errors import AppError, CancelledError

AT_ONCE = 3

ReadPart = Callable[[PdfPart, str, Cancel, Progress], ListedBlock]
"""(part, its name, cancel, progress in pages of the part) -> its blocks, with pages of the whole document."""


def read_parts(
    parts: Sequence[PdfPart], name: str, read: ReadPart, cancel: Cancel, progress: Progress
) -> list[ListedBlock]:
    """Raises whatever reading a part raises; the message names its pages."""
    shared = _Shared(cancel, progress, sum(part.pages for part in parts))

    def one(part: PdfPart) -> ListedBlock | AppError:
        try:
            return read(part, _called(part, name, len(parts)), shared, shared.progress_of(part))
        except AppError as error:
            shared.failed.set()
            return error

    results = spread(one, parts, AT_ONCE, lambda _: None)
    errors = [result for result in results if isinstance(result, AppError)]
    causes = [error for error in errors if not isinstance(error, CancelledError)]
    if errors:
        raise (causes or errors)[0]
    return [result for result in results if isinstance(result, ListedBlock)]


def _called(part: PdfPart, name: str, parts: int) -> str:
    return f"{name} (p. {part.first + 1}-{part.first + part.pages})" if parts > 1 else name


class _Shared:
    """One stop signal for all parts, which a failing part also sets, and their total progress."""

    def __init__(self, cancel: Cancel, progress: Progress, pages: int) -> None:
        self._cancel = cancel
        self._progress = progress
        self._pages = pages
        self._lock = threading.Lock()
        self._done: dict[int, int] = {}
        self.failed = threading.Event()

    def requested(self) -> bool:
        return self.failed.is_set() or self._cancel.requested()

    def progress_of(self, part: PdfPart) -> Progress:
        def tell(done: int, total: int) -> None:
            with self._lock:
                self._done[part.first] = done
                self._progress(sum(self._done.values()), self._pages or total)

        return tell
