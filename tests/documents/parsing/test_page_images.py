"""Page images: right size, cached, refused for what has no pages; a broken painter is replaced."""

import os
import signal
import threading
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from PIL import Image

from core.documents.lifecycle.file_store import FileStore
from core.documents.model import Document
from core.documents.parsing.pdf import page_images
from core.documents.parsing.pdf.page_images import PageImages
from core.documents.reading.formats import RESULT_ZIP
from core.platform.errors import AppError, NotFoundError
from tests.documents import made_files
from tests.fakes.ingestion import open_library


class Shelf:
    """A library with files, and images of their pages."""

    def __init__(self, data: Path) -> None:
        self.library = open_library(data)
        self.base = self.library.bases.create("Base")
        self.files = FileStore(data / "files")
        self.images = PageImages(self.library.documents, self.files, data / "cache")

    def add(self, data: bytes, media_type: str = "application/pdf") -> Document:
        stored = self.files.save(data, "file")
        return self.library.documents.add(self.base.id, "file", stored.sha256, stored.size, media_type)[0]


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    made = Shelf(tmp_path)
    yield made
    made.images.close()


def result(**origins: bytes) -> bytes:
    """As MinerU packs it: the list, and copies of the input."""
    buffer = BytesIO()
    with ZipFile(buffer, "w") as package:
        package.writestr("a/auto/a_content_list.json", "[]")
        for name, data in origins.items():
            package.writestr(f"a/auto/{name}.pdf", data)
    return buffer.getvalue()


def size(image: bytes) -> tuple[int, int]:
    return Image.open(BytesIO(image)).size


def test_a_page_is_painted_at_the_width_asked_for_and_kept(shelf: Shelf, tmp_path: Path) -> None:
    document = shelf.add(made_files.report(2))
    image = shelf.images.png(document.id, 1, 480)
    assert size(image) in {(480, 679), (480, 678), (480, 680)}
    assert len(list((tmp_path / "cache" / "pages").rglob("*.png"))) == 1
    shelf.images.close()
    assert shelf.images.png(document.id, 1, 480) == image


@pytest.mark.parametrize(
    ("box", "part"),
    [
        ((100, 100, 600, 300), (0.5, 0.2)),
        ((600, 300, 100, 100), (0.5, 0.2)),
        ((-5, 0, 9000, 1000), (1, 1)),
        ((1000, 1000, 1000, 1000), (0, 0)),
    ],
)
def test_a_part_of_a_page_is_cut_out_whatever_box_a_parser_gave(
    shelf: Shelf, box: tuple[int, int, int, int], part: tuple[float, float]
) -> None:
    document = shelf.add(made_files.pdf(lambda canvas: canvas.drawString(100, 700, "One page.")))
    across, down = size(shelf.images.png(document.id, 0, 1400))
    cut = size(shelf.images.part(document.id, 0, box))
    assert list(cut) == pytest.approx([part[0] * across, part[1] * down], abs=2)


def test_what_has_no_such_page_is_not_found(shelf: Shelf) -> None:
    report = shelf.add(made_files.report(1))
    for document_id, page in ((report.id, 1), (report.id, -1), ("gone", 0)):
        with pytest.raises(NotFoundError):
            shelf.images.png(document_id, page, 480)
    for other in (shelf.add(b"words", "text/plain"), shelf.add(b"%PDF-1.4 broken"), shelf.add(made_files.encrypted())):
        with pytest.raises(NotFoundError):
            shelf.images.png(other.id, 0, 480)


def test_an_imported_result_shows_the_pages_of_the_pdf_that_it_holds(shelf: Shelf, tmp_path: Path) -> None:
    report = shelf.add(made_files.report(2))
    imported = shelf.add(result(auto_origin=made_files.report(2)), RESULT_ZIP.media_type)
    assert shelf.images.shows(imported)
    assert shelf.images.png(imported.id, 1, 480) == shelf.images.png(report.id, 1, 480)
    (origin,) = (tmp_path / "cache").rglob("*.pdf")
    origin.unlink()
    assert size(shelf.images.png(imported.id, 0, 480))[0] == 480


def test_an_imported_result_without_a_pdf_or_with_a_bad_one_has_no_pages(shelf: Shelf) -> None:
    several = result(auto_origin=made_files.report(1), other_origin=made_files.report(1))
    for data in (result(), several, b"PK\x03\x04 broken"):
        imported = shelf.add(data, RESULT_ZIP.media_type)
        assert not shelf.images.shows(imported)
        with pytest.raises(NotFoundError):
            shelf.images.png(imported.id, 0, 480)
    unreadable = shelf.add(result(auto_origin=b"%PDF-1.4 broken"), RESULT_ZIP.media_type)
    with pytest.raises(NotFoundError):
        shelf.images.png(unreadable.id, 0, 480)


def test_only_pdfs_and_results_show_pages(shelf: Shelf) -> None:
    assert shelf.images.shows(shelf.add(made_files.report(1)))
    assert not shelf.images.shows(shelf.add(b"words", "text/plain"))


def test_a_gigantic_page_is_painted_smaller(shelf: Shelf) -> None:
    width, height = size(shelf.images.png(shelf.add(made_files.pdf(_draw_long, pagesize=(72, 14_000))).id, 0, 1400))
    assert width * height <= 41_000_000


def _draw_long(canvas: Any) -> None:
    canvas.drawString(10, 10, "x")


def test_a_painter_that_died_is_replaced(shelf: Shelf) -> None:
    document = shelf.add(made_files.report(2))
    shelf.images.png(document.id, 0, 100)
    child = shelf.images._child
    assert child is not None
    os.kill(child.process.pid, signal.SIGKILL)
    child.process.wait()
    assert size(shelf.images.png(document.id, 1, 100))[0] == 100


def test_a_page_that_takes_too_long_is_given_up(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_images, "_SECONDS", 0)
    with pytest.raises(AppError, match="cannot be shown"):
        shelf.images.png(shelf.add(made_files.report(1)).id, 0, 480)


def test_threads_may_ask_at_once(shelf: Shelf) -> None:
    document = shelf.add(made_files.report(3))
    images: dict[int, bytes] = {}

    def ask(page: int) -> None:
        images[page] = shelf.images.png(document.id, page % 3, 200)

    threads = [threading.Thread(target=ask, args=(page,)) for page in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [images[page] for page in (3, 4, 5)] == [images[page] for page in (0, 1, 2)]


def test_the_cache_is_bounded(shelf: Shelf, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page_images, "_CACHE_BYTES", 1)
    monkeypatch.setattr(page_images, "_SWEEP_EVERY", 2)
    document = shelf.add(made_files.report(3))
    for page in range(3):
        shelf.images.png(document.id, page, 100)
    assert len(list((tmp_path / "cache").rglob("*.png"))) == 2
