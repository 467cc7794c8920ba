"""Text in pictures is read: files of pictures, scans, pictures on pages and in Office files, turned pages."""

import struct
import subprocess
import sys
import time
import zlib
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from docx import Document as WordDocument
from PIL import Image

from core.documents.parsing.docvortex.parser import DocvortexParser
from core.documents.parsing.docvortex.recognising import read_image
from core.documents.parsing.ocr.engine import OcrEngine
from core.documents.parsing.pdf.image_file import frame, open_image
from core.documents.ports.parsing import Parsed
from core.documents.reading.inspection import OcrMode
from core.platform.errors import CancelledError, InputError
from tests.documents import made_files
from tests.documents.parsing.ocr.samples import CHINESE, ENGLISH, character_error_rate, painted, read_text, saved
from tests.fakes.parsing import Never, ignore

pytestmark = pytest.mark.timeout(300)


def parsed(folder: Path, name: str, data: bytes, ocr: OcrMode = OcrMode.AUTO) -> Parsed:
    path = folder / name
    path.write_bytes(data)
    return DocvortexParser(folder / "work", ocr).parse(path, name, "", Never(), ignore)


def pdf_of(image: Image.Image) -> bytes:
    return saved(image, "PDF", resolution=150)


@pytest.fixture(scope="module")
def engine() -> OcrEngine:
    """Loading it takes longer than reading a picture."""
    return OcrEngine()


@pytest.mark.parametrize(("suffix", "form"), [("png", "PNG"), ("jpg", "JPEG"), ("webp", "WEBP")])
def test_a_picture_is_a_document_of_one_page(tmp_path: Path, engine: OcrEngine, suffix: str, form: str) -> None:
    path = tmp_path / f"photo.{suffix}"
    path.write_bytes(saved(painted(ENGLISH), form))
    result = read_image(path, path.name, ignore, engine)
    assert character_error_rate("\n".join(ENGLISH), read_text(result.blocks)) <= 0.03
    assert (result.pages, result.notes) == (1, ("ingest.note.recognised",))
    for block in result.blocks:
        assert block.confidence
        assert 0.9 < block.confidence <= 1
        assert block.box
        assert block.box[0] < 80
    assert max(block.box[2] for block in result.blocks if block.box) > 600


def test_a_line_alone_on_a_page_is_not_taken_for_one_upside_down(tmp_path: Path, engine: OcrEngine) -> None:
    path = tmp_path / "photo.png"
    page = Image.new("RGB", (1000, 1000), "white")
    page.paste(painted(ENGLISH[3:]), (0, 0))
    path.write_bytes(saved(page, "PNG"))
    result = read_image(path, path.name, ignore, engine)
    assert character_error_rate(ENGLISH[3], read_text(result.blocks)) <= 0.03


@pytest.mark.slow
def test_every_page_of_a_tiff_is_read_also_one_that_lies_on_its_side(tmp_path: Path) -> None:
    sideways = painted(ENGLISH[2:]).transpose(Image.Transpose.ROTATE_90)
    data = saved(painted(ENGLISH[:2]), "TIFF", save_all=True, append_images=[sideways])
    seen: list[tuple[int, int]] = []
    path = tmp_path / "fax.tif"
    path.write_bytes(data)
    parser = DocvortexParser(tmp_path / "work")
    result = parser.parse(path, path.name, "", Never(), lambda done, total: seen.append((done, total)))
    by_page = [read_text(tuple(block for block in result.blocks if block.page == page)) for page in (0, 1)]
    assert character_error_rate("\n".join(ENGLISH[:2]), by_page[0]) <= 0.03
    assert character_error_rate("\n".join(ENGLISH[2:]), by_page[1]) <= 0.03
    (turned,) = (block for block in result.blocks if block.page == 1)
    assert turned.box
    assert turned.box[3] - turned.box[1] > turned.box[2] - turned.box[0]  # as the page lies
    assert seen == [(0, 2), (1, 2), (2, 2)]


def test_a_scan_is_read_and_only_where_there_is_no_text(tmp_path: Path) -> None:
    pdfs = [made_files.report(1), pdf_of(painted(ENGLISH))]
    both: Any = pypdfium2.PdfDocument.new()  # type: ignore[no-untyped-call]
    for data in pdfs:
        both.import_pages(pypdfium2.PdfDocument(data))  # type: ignore[no-untyped-call]
    file = BytesIO()
    both.save(file)
    result = parsed(tmp_path, "mixed.pdf", file.getvalue())
    assert result.notes == ("ingest.note.recognised",)
    assert {block.confidence for block in result.blocks if block.page == 0} == {None}
    read = tuple(block for block in result.blocks if block.page == 1)
    assert all(block.confidence for block in read)
    assert character_error_rate("\n".join(ENGLISH), read_text(read)) <= 0.03


def test_chinese_is_read(tmp_path: Path) -> None:
    result = parsed(tmp_path, "scan.pdf", pdf_of(_picture_of(made_files.chinese_lines(CHINESE))))
    assert character_error_rate("\n".join(CHINESE), read_text(result.blocks)) <= 0.03


def test_a_picture_on_a_page_of_text_is_read_and_the_text_is_not_read_again(tmp_path: Path) -> None:
    result = parsed(tmp_path, "figure.pdf", made_files.pdf(lambda canvas: _page_with_picture(canvas)))
    pictures = [block for block in result.blocks if block.type == "image" and block.text]
    assert "169 MHz" in " ".join(block.text for block in pictures)
    assert all(block.confidence for block in pictures)
    before, after = ("above the picture", "below the picture")
    order = [block.text for block in result.blocks]
    places = [next(n for n, text in enumerate(order) if words in text) for words in (before, "169 MHz", after)]
    assert places == sorted(places)
    assert sum(before in text for text in order) == 1


@pytest.mark.slow
def test_a_picture_in_a_word_file_is_read(tmp_path: Path) -> None:
    document = WordDocument()
    document.add_paragraph("Before the picture.")
    document.add_picture(BytesIO(saved(painted(ENGLISH[3:]), "PNG")))
    file = BytesIO()
    document.save(file)
    result = parsed(tmp_path, "letter.docx", file.getvalue())
    assert any("169 MHz" in block.text for block in result.blocks if block.type == "image")
    assert result.notes == ("ingest.note.pictures_recognised",)


def test_without_recognition_a_scan_and_a_picture_name_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="OCR") as scan:
        parsed(tmp_path, "scan.pdf", made_files.scan(), OcrMode.OFF)
    with pytest.raises(InputError, match="OCR") as picture:
        parsed(tmp_path, "photo.png", saved(painted(ENGLISH), "PNG"), OcrMode.OFF)
    assert (scan.value.key, picture.value.key) == ("ingest.error.scanned", "ingest.error.image")


def test_a_picture_that_claims_too_many_pixels_is_refused(tmp_path: Path) -> None:
    honest = saved(Image.new("1", (4, 4)), "PNG")
    header = b"IHDR" + struct.pack(">II", 40_000, 40_000) + honest[24:29]
    bomb = honest[:12] + header + struct.pack(">I", zlib.crc32(header)) + honest[33:]
    with pytest.raises(InputError) as refused:
        parsed(tmp_path, "bomb.png", bomb)
    assert refused.value.key == "ingest.error.picture_too_large"


def test_a_large_picture_of_16_bits_is_made_smaller() -> None:
    large = open_image(BytesIO(saved(Image.new("I;16", (9_000, 4_500), 30_000), "PNG")), "scan.png")
    assert frame(large, 0, 2_000).size == (2_000, 1_000)


@pytest.mark.parametrize("mode", ["LA", "RGBA"])
def test_a_large_picture_with_transparency_is_made_smaller_on_white(mode: str) -> None:
    half_clear = Image.new(mode, (3_000, 1_500), tuple([0] * (len(mode) - 1) + [128]))
    small = frame(open_image(BytesIO(saved(half_clear, "PNG")), "plan.png"), 0, 1_000)
    assert (small.size, small.getextrema()) == ((1_000, 500), ((127, 127),) * 3)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="resource is of POSIX")
@pytest.mark.parametrize("mode", ["RGB", "LA", "RGBA"])
def test_a_picture_of_120_megapixels_is_read_in_less_than_a_gigabyte(tmp_path: Path, mode: str) -> None:
    page, lines = Image.new(mode, (12_000, 9_999), "white"), painted(ENGLISH)
    page.paste(lines.resize((6 * lines.width, 6 * lines.height)), (0, 0))
    page.save(tmp_path / "plan.png", compress_level=1)
    code = f"""
import resource
from pathlib import Path
from tests.documents.parsing.ocr.test_reading_pictures import parsed, read_text
folder = Path({str(tmp_path)!r})
print(read_text(parsed(folder, "again.png", (folder / "plan.png").read_bytes()).blocks))
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    *said, kilobytes = done.stdout.splitlines()
    assert "tide gauges" in " ".join(said)
    assert int(kilobytes) < 1_000_000


def test_a_webp_that_its_decoder_would_hold_in_two_gigabytes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="50 million") as refused:
        parsed(tmp_path, "plan.webp", saved(Image.new("L", (10_000, 5_001)), "WEBP"))
    assert refused.value.key == "ingest.error.picture_too_large"


def test_half_a_picture_is_damaged(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        parsed(tmp_path, "half.png", saved(painted(ENGLISH), "PNG")[:300])
    assert refused.value.key == "ingest.error.damaged"


def test_reading_a_picture_is_cancelled_at_once(tmp_path: Path) -> None:
    class AfterTheFirstPage:
        since: float | None = None
        pages = 0

        def progress(self, done: int, total: int) -> None:
            self.pages += done > 0
            self.since = self.since or (time.monotonic() if done else None)

        def requested(self) -> bool:
            return self.since is not None

    path = tmp_path / "scan.tif"
    pages = [painted((f"Page {number}", *ENGLISH)) for number in range(10)]
    path.write_bytes(saved(pages[0], "TIFF", save_all=True, append_images=pages[1:]))
    cancel = AfterTheFirstPage()
    with pytest.raises(CancelledError):
        DocvortexParser(tmp_path / "work").parse(path, path.name, "", cancel, cancel.progress)
    assert cancel.pages == 1, "it read on"
    assert cancel.since
    assert time.monotonic() - cancel.since < 20


def _picture_of(data: bytes) -> Image.Image:
    from docvortex.document.pdf import initialize_pdfium_runtime

    initialize_pdfium_runtime()
    page = pypdfium2.PdfDocument(data)[0]  # type: ignore[no-untyped-call]
    image: Image.Image = page.render(scale=150 / 72).to_pil().convert("RGB")
    return image


def _page_with_picture(canvas: Any) -> None:
    reader: Any = import_module("reportlab.lib.utils").ImageReader
    canvas.setFont("Helvetica", 11)
    for row in range(12):
        canvas.drawString(72, 780 - 16 * row, f"Sentence {row} above the picture tells of the pier and its two gauges.")
    canvas.drawImage(reader(painted(ENGLISH)), 72, 325, 360, 266)
    for row in range(12):
        canvas.drawString(72, 300 - 16 * row, f"Sentence {row} below the picture tells of the radio and its mast.")


class StoppedAfter:
    """Asked to stop when that many pages are read."""

    def __init__(self, pages: int) -> None:
        self._left = pages

    def progress(self, done: int, total: int) -> None:
        self._left -= done > 0

    def requested(self) -> bool:
        return self._left <= 0


@pytest.mark.slow
def test_pages_that_were_read_before_a_kill_are_not_read_again(tmp_path: Path) -> None:
    path = tmp_path / "fax.tif"
    path.write_bytes(saved(painted(ENGLISH[:2]), "TIFF", save_all=True, append_images=[painted(ENGLISH[2:])]))
    parser, stop = DocvortexParser(tmp_path / "work"), StoppedAfter(1)
    with pytest.raises(CancelledError):
        parser.parse(path, path.name, "", stop, stop.progress)
    kept = list((tmp_path / "work" / "read").glob("*/*.json"))
    assert kept
    first = min(kept, key=lambda reading: reading.stat().st_mtime_ns)
    said = first.read_text(encoding="utf-8")
    assert "gauges" in said
    first.write_text(said.replace("gauges", "MARKED"), encoding="utf-8")
    result = parser.parse(path, path.name, "", Never(), ignore)
    assert "MARKED" in read_text(tuple(block for block in result.blocks if block.page == 0))
    assert "radio" in read_text(tuple(block for block in result.blocks if block.page == 1))
    assert not (tmp_path / "work" / "read").exists(), "what is finished is not kept"


def test_recognition_needs_no_network(tmp_path: Path) -> None:
    picture = tmp_path / "photo.png"
    picture.write_bytes(saved(painted(ENGLISH[:1]), "PNG"))
    code = f"""
import socket, sys
def cut(*_, **__): raise OSError("the network is cut")
socket.socket.connect = socket.socket.connect_ex = socket.socket.sendto = cut
socket.getaddrinfo = socket.create_connection = cut
from pathlib import Path
from core.documents.parsing.docvortex.recognising import read_image
from core.documents.parsing.ocr.engine import KeptReadings
read = read_image(Path({str(picture)!r}), "photo.png", lambda done, total: None, KeptReadings(Path({str(tmp_path)!r})))
print(" ".join(block.text for block in read.blocks))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "tide gauges" in done.stdout
