"""Pages as images, painted by PDFium in a child process and kept in a bounded cache under the data folder."""

import contextlib
import logging
import threading
from pathlib import Path

from core.adapters.isolated import ChildEndedError, Isolated
from core.domain.documents import Document
from core.errors import InputError, NotFoundError, ServiceError
from core.ingest.files import FileStore
from core.ingest.formats import PDF, RESULT_ZIP
from core.ingest.result_zip import copy_origin
from core.ports import Library

_LOG = logging.getLogger(__name__)
_SECONDS = 25.0
_CACHE_BYTES = 300_000_000
_SWEEP_EVERY = 50
"""Images painted between two looks at the size of the cache."""


class PageImages:
    """Images of a document's pages. One page is painted at a time: PDFium is not made for threads."""

    def __init__(self, library: Library, files: FileStore, cache: Path) -> None:
        self._library = library
        self._files = files
        self._cache = cache / "pages"
        self._lock = threading.Lock()
        self._child: Isolated | None = None
        self._painted = 0
        self._without: set[str] = set()
        """Results that hold no PDF, by the hash of their files."""

    def shows(self, document: Document) -> bool:
        """Whether the document has pages to show: it is a PDF, or a result of MinerU that holds the PDF it is of."""
        if document.media_type == PDF.media_type:
            return True
        with self._lock:
            return self._source(document) is not None

    def png(self, document_id: str, page: int, width: int) -> bytes:
        """The page (0-based) at a width in pixels.

        Raises NotFoundError when the document, its file or the page is not there, or the format has no pages to show;
        ServiceError when painting took too long.
        """
        document = self._library.document(document_id)
        target = self._cache / document.sha256[:2] / f"{document.sha256}-{page}-{width}.png"
        with contextlib.suppress(FileNotFoundError):
            return target.read_bytes()
        with self._lock:
            if not target.is_file():
                source = self._source(document)
                if source is None:
                    raise NotFoundError("ingest.error.page_missing")
                self._paint(source, page, width, target)
            return target.read_bytes()

    def close(self) -> None:
        with self._lock:
            self._end_child()

    def _source(self, document: Document) -> Path | None:
        """The PDF; that of a result is unpacked beside its images when it is first asked for."""
        if document.media_type not in {PDF.media_type, RESULT_ZIP.media_type} or document.sha256 in self._without:
            return None
        file = self._files.path(document.sha256)
        if document.media_type == PDF.media_type or not file.is_file():
            return file if file.is_file() else None
        origin = self._cache / document.sha256[:2] / f"{document.sha256}.pdf"
        try:
            if origin.is_file() or copy_origin(file, document.name, origin):
                return origin
        except InputError as error:
            _LOG.info("%s: %s", document.id, error)
        self._without.add(document.sha256)
        return None

    def _paint(self, source: Path, page: int, width: int, target: Path) -> None:
        self._painted += 1
        if self._painted % _SWEEP_EVERY == 0:
            _sweep(self._cache)
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary = target.with_suffix(".tmp")
        request = {"path": str(source.resolve()), "page": page, "width": width, "target": str(temporary.resolve())}
        if not self._ask(request):
            temporary.unlink(missing_ok=True)
            raise NotFoundError("ingest.error.page_missing")
        temporary.replace(target)

    def _ask(self, request: dict[str, object]) -> bool:
        """The child lives on between pages; one that died of the page before is replaced."""
        for attempt in (1, 2):
            if self._child is None:
                self._child = Isolated("core.adapters.page_process", [])
            try:
                self._child.send(request)
                answer = self._child.receive(_SECONDS)
            except ChildEndedError as error:
                self._end_child()
                if attempt == 2:
                    raise ServiceError("ingest.error.page_unpaintable") from error
                continue
            if answer is None:
                self._end_child()
                raise ServiceError("ingest.error.page_unpaintable")
            return bool(answer.get("painted"))
        return False

    def _end_child(self) -> None:
        if self._child:
            self._child.stop()
            self._child = None


def _sweep(cache: Path) -> None:
    """What was not asked for in the longest time goes, until the cache is well below its limit."""
    images = []
    for path in cache.rglob("*.p[nd][gf]"):
        with contextlib.suppress(FileNotFoundError):
            facts = path.stat()
            images.append((max(facts.st_atime, facts.st_mtime), facts.st_size, path))
    size = sum(bytes for _, bytes, _ in images)
    if size <= _CACHE_BYTES:
        return
    for _, bytes, path in sorted(images, key=lambda image: image[0]):
        path.unlink(missing_ok=True)
        size -= bytes
        if size <= _CACHE_BYTES * 0.8:
            return
