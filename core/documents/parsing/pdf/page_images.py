"""Pages as images, rendered by PDFium in a child process and kept in a bounded cache in the data folder."""

import contextlib
import logging
import threading
from collections.abc import Mapping, Sequence
from io import BytesIO
from math import ceil
from pathlib import Path
from typing import Any

from core.documents.lifecycle.file_store import FileStore
from core.documents.model import Box, Document
from core.documents.ports.documents import Documents
from core.documents.reading.formats import IMAGES, PDF, RESULT_ZIP
from core.documents.reading.result_zip import copy_origin
from core.platform.errors import InputError, NotFoundError, ServiceError
from core.platform.processes.isolated_process import ChildEndedError, Isolated

_LOG = logging.getLogger(__name__)
_SHOWN = {PDF.media_type, *(form.media_type for form in IMAGES)}
_SECONDS = 25.0
_PART_OF = 1400
"""Width in pixels of the page of which a part is shown."""
_CACHE_BYTES = 300_000_000
_SWEEP_EVERY = 50
"""Images rendered between two checks of the cache size."""


class PageImages:
    """Images of a document's pages. Renders one page at a time, because PDFium is not thread-safe."""

    def __init__(self, documents: Documents, files: FileStore, cache: Path) -> None:
        self._documents = documents
        self._files = files
        self._cache = cache / "pages"
        self._lock = threading.Lock()
        self._child: Isolated | None = None
        self._painted = 0
        self._without: set[str] = set()
        """Results without a PDF, by the hash of their files."""

    def shows(self, document: Document) -> bool:
        """Whether the document has pages to show: a PDF, a picture, or a result of MinerU that holds its PDF."""
        if document.media_type in _SHOWN:
            return True
        with self._lock:
            return self._source(document) is not None

    def png(self, document_id: str, page: int, width: int) -> bytes:
        """The page (0-based) at a width in pixels.

        Raises NotFoundError if the document, its file or the page does not exist, or the format has no pages to show;
        ServiceError if rendering took too long.
        """
        document = self._documents.get(document_id)
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

    def part(self, document_id: str, page: int, box: Box) -> bytes:
        """The part of the page inside the box, as PNG. Raises as png() does."""
        from PIL import Image

        with Image.open(BytesIO(self.png(document_id, page, _PART_OF))) as whole:
            kept = BytesIO()
            whole.crop(_pixels(box, *whole.size)).save(kept, "PNG")
        return kept.getvalue()

    def quoted(self, document_id: str, page: int, quote: str, within: Sequence[Box]) -> list[Box]:
        """Boxes of the lines that contain the quote, in thousandths; none where the page has no text layer.

        Raises NotFoundError if the document does not exist; ServiceError if looking took too long.
        """
        document = self._documents.get(document_id)
        with self._lock:
            source = self._source(document)
            if source is None:
                return []
            request = {"path": str(source.resolve()), "page": page, "quote": quote, "within": list(within)}
            found = self._answer(request).get("boxes") or []
        return [(box[0], box[1], box[2], box[3]) for box in found]

    def close(self) -> None:
        with self._lock:
            self._end_child()

    def _source(self, document: Document) -> Path | None:
        """The PDF. That of a result is unpacked next to its images on first use."""
        if document.media_type not in _SHOWN | {RESULT_ZIP.media_type} or document.sha256 in self._without:
            return None
        file = self._files.path(document.sha256)
        if document.media_type in _SHOWN or not file.is_file():
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
        if not self._answer(request).get("painted"):
            temporary.unlink(missing_ok=True)
            raise NotFoundError("ingest.error.page_missing")
        temporary.replace(target)

    def _answer(self, request: Mapping[str, object]) -> Mapping[str, Any]:
        """The child is reused between requests and replaced if the previous one killed it."""
        for attempt in (1, 2):
            if self._child is None:
                self._child = Isolated("core.documents.parsing.pdf.page_process", [])
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
            return answer
        return {}

    def _end_child(self) -> None:
        if self._child:
            self._child.stop()
            self._child = None


def _sweep(cache: Path) -> None:
    """Removes the least recently used images until the cache is well below its limit."""
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


def _pixels(box: Box, width: int, height: int) -> tuple[int, int, int, int]:
    """At least one pixel, and none outside the page, whatever box a parser gave."""
    (left, right), (top, bottom) = (
        sorted(min(max(edge, 0), 1000) * size / 1000 for edge in edges)
        for edges, size in (((box[0], box[2]), width), ((box[1], box[3]), height))
    )
    left, top = min(int(left), width - 1), min(int(top), height - 1)
    return left, top, max(ceil(right), left + 1), max(ceil(bottom), top + 1)
