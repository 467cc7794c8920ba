"""Where quoted words stand on a page of a PDF."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.documents.lifecycle.file_store import FileStore
from core.documents.lifecycle.sample import FOLDER
from core.documents.model import Document, KnowledgeBase
from core.documents.parsing.pdf.page_images import PageImages
from tests.fakes.library import FakeLibrary
from tests.fakes.samples import NOW

HANDBOOK = FOLDER / "marlow-sound-handbook.pdf"
SENTENCE = "a buoy that misses its calibration is marked as unverified in the database"
PAGE = (0, 0, 1000, 1000)


@pytest.fixture(scope="module")
def images(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[PageImages, Document]]:
    folder = tmp_path_factory.mktemp("quotes")
    library, files = FakeLibrary(), FileStore(folder / "files")
    library.bases.kept["b"] = KnowledgeBase("b", "B", NOW)
    stored = files.save(HANDBOOK, "handbook.pdf")
    document, _ = library.documents.add("b", "handbook.pdf", stored.sha256, stored.size, "application/pdf", "")
    made = PageImages(library.documents, files, folder / "cache")
    yield made, document
    made.close()


def test_a_sentence_is_found_line_by_line(images: tuple[PageImages, Document]) -> None:
    made, document = images
    lines = made.quoted(document.id, 0, SENTENCE.upper().replace(" ", "\n"), [PAGE])
    assert 1 <= len(lines) <= 3
    assert all(0 < left < right < 1000 and 0 < top < bottom < 1000 for left, top, right, bottom in lines)
    assert all(bottom - top < 40 for _, top, _, bottom in lines)
    pieces = made.quoted(document.id, 0, f"Each buoy is lifted … {SENTENCE}", [PAGE])
    assert len(pieces) > len(lines)


@pytest.mark.parametrize(("page", "words"), [(0, "words that stand nowhere"), (0, "a"), (99, SENTENCE), (0, "")])
def test_what_is_not_there_has_no_place(images: tuple[PageImages, Document], page: int, words: str) -> None:
    made, document = images
    assert made.quoted(document.id, page, words, [PAGE]) == []


def test_a_file_that_is_gone_has_no_places(images: tuple[PageImages, Document], tmp_path: Path) -> None:
    _, document = images
    library = FakeLibrary()
    library.documents.kept[document.id] = document
    assert PageImages(library.documents, FileStore(tmp_path), tmp_path).quoted(document.id, 0, SENTENCE, []) == []
