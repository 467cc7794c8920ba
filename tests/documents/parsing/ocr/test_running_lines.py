"""Headers and footers of scans are no part of the text."""

from io import BytesIO
from pathlib import Path

from PIL import Image

from core.documents.model import Block
from core.documents.parsing.docvortex.recognising import read_image, with_recognised
from core.documents.parsing.ocr.engine import OcrEngine, Picture
from core.documents.reading.inspection import PageFacts
from core.documents.reading.layout import Recognised, RecognisedLine
from tests.fakes.parsing import ignore


class PageEngine(OcrEngine):
    """Reads the same header and text on every page."""

    def read(self, picture: Picture) -> Recognised:
        del picture
        header = RecognisedLine("Harbour handbook", 100, 20, 300, 40, 0.99)
        text = RecognisedLine("The gate opens at seven.", 100, 500, 500, 520, 0.99)
        return Recognised(1000, 1000, (header, text))


def pages(form: str) -> bytes:
    frames = [Image.new("RGB", (600, 800), (255, 255, 200 + shade)) for shade in range(3)]
    data = BytesIO()
    frames[0].save(data, form, save_all=True, append_images=frames[1:])
    return data.getvalue()


def kinds(blocks: tuple[Block, ...] | list[Block]) -> list[str]:
    return [block.type for block in blocks]


def test_of_pictures_with_several_pages(tmp_path: Path) -> None:
    path = tmp_path / "scan.tif"
    path.write_bytes(pages("TIFF"))
    assert kinds(read_image(path, path.name, ignore, PageEngine()).blocks) == ["header", "text"] * 3


def test_of_scanned_pages_of_a_pdf(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(pages("PDF"))
    facts = [PageFacts(0, 0, has_image=True)] * 3
    blocks, _ = with_recognised([], facts, {0, 1, 2}, (path, path.name), ignore, PageEngine())
    assert kinds(blocks) == ["header", "text"] * 3
