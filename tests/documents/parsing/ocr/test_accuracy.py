"""Real pages as pictures of 150 dots an inch: what is read differs from the text layer in at most 3 % of characters."""

import os
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image

from core.documents.model import Block
from core.documents.parsing.docvortex.parser import DocvortexParser
from tests.documents.parsing.ocr.samples import character_error_rate, read_text, saved
from tests.fakes.parsing import Never, ignore

MOST = 0.03
PAGES = {
    "two columns": ("en_two_column_paper.pdf", 0),
    "a Chinese standard with tables": ("zh_tables_standard.pdf", 0),
    "a page of a 10-K": ("COSTCO_2021_10K.pdf", 30),
}

ALL = "GRAPHTALK_ALL_PAGES"
"""Set it to read every page; one alone takes half a minute of a processor, so only the hardest are read without it."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


def read(folder: Path, name: str, data: bytes) -> tuple[Block, ...]:
    path = folder / name
    path.write_bytes(data)
    return DocvortexParser(folder / "work").parse(path, name, "", Never(), ignore).blocks


def test_a_scanned_page(shared_data: Path, tmp_path: Path) -> None:
    pdfs = shared_data / "pdfs"
    blocks = read(tmp_path, "scan.pdf", (pdfs / "en_scanned_page.pdf").read_bytes())
    truth = (pdfs / "en_scanned_page.txt").read_text(encoding="utf-8")
    assert character_error_rate(truth, read_text(blocks)) <= MOST


@pytest.mark.parametrize("page", PAGES)
def test_a_picture_of_a_page(shared_data: Path, tmp_path: Path, page: str) -> None:
    if "Chinese" not in page and not os.environ.get(ALL):
        pytest.skip(f"set {ALL}=1 to read this page, too")
    name, number = PAGES[page]
    source = pypdfium2.PdfDocument(shared_data / "pdfs" / name)[number]  # type: ignore[no-untyped-call]
    truth = source.get_textpage().get_text_range()
    image: Image.Image = source.render(scale=150 / 72).to_pil().convert("RGB")
    blocks = read(tmp_path, "page.png", saved(image, "PNG"))
    assert character_error_rate(truth, read_text(blocks)) <= MOST
    assert_boxes_hold_their_words(source, blocks)


def assert_boxes_hold_their_words(source: object, blocks: tuple[Block, ...]) -> None:
    """What the text layer has inside the box of a block is what was read there."""
    width, height = source.get_size()  # type: ignore[attr-defined]
    layer = source.get_textpage()  # type: ignore[attr-defined]
    checked = 0
    for block in blocks:
        if block.type != "text" or len(block.text) < 40 or not block.box:
            continue
        left, top, right, bottom = block.box
        inside = layer.get_text_bounded(
            left * width / 1000 - 3, height - bottom * height / 1000 - 3, right * width / 1000 + 3,
            height - top * height / 1000 + 3,
        )  # fmt: skip
        assert share_found(block.text, inside) >= 0.9, (block.text, inside)
        if len(block.text) > 300:  # a block of a line or two touches its neighbours
            assert len(inside) < 1.6 * len(block.text)
        checked += 1
    assert checked >= 3


def share_found(text: str, within: str) -> float:
    """Of the text's pairs of neighbouring letters and digits; the box may touch a line above or below."""
    wanted, there = (Counter(pairwise(filter(str.isalnum, words))) for words in (text, within))
    return (wanted & there).total() / wanted.total()
