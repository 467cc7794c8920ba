"""Lines written from right to left come in reading order, numbers in their places."""

import shutil
import subprocess
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from core.documents.parsing.docvortex.process import read_into
from tests.documents import made_files

FONT = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
CHROMIUM = shutil.which("chromium") or ""
HEBREW = ("המצוף הצפוני כויל במרץ 2024 על ידי דנה לוי.", "עומק המים במקום הוא 40 מטר.")
ARABIC = ("تأسست المحطة البحرية في عام 2024 على يد ليلى حداد.", "يبلغ عمق المياه في الموقع 40 مترا.")


def _page(canvas: Any, lines: Sequence[str]) -> None:
    """Glyphs from left to right in display order, as most programs write them."""
    import_module("reportlab.pdfbase.pdfmetrics").registerFont(
        import_module("reportlab.pdfbase.ttfonts").TTFont("DejaVu", FONT)
    )
    canvas.setFont("DejaVu", 12)
    for row, line in enumerate(lines):
        shown = [word if word.isdigit() else word[::-1] for word in reversed(line.split())]
        canvas.drawRightString(540, 700 - 40 * row, " ".join(shown))


def _read(source: Path, folder: Path) -> str:
    result = folder / "a.json"
    with (folder / "told").open("w") as channel:
        read_into([str(source), "a.pdf", "pdf", str(result), "off", str(folder)], channel)
    return " ".join(result.read_text("utf-8").split())


@pytest.mark.skipif(not FONT.exists(), reason="no font with these letters")
@pytest.mark.parametrize("lines", [HEBREW, ARABIC], ids=["Hebrew", "Arabic"])
def test_lines_read_from_right_to_left(tmp_path: Path, lines: Sequence[str]) -> None:
    source = tmp_path / "a.pdf"
    source.write_bytes(made_files.pdf(lambda canvas: _page(canvas, lines)))
    text = _read(source, tmp_path)
    assert "2024" in text
    for line in lines:
        assert line.rstrip(".") in text


@pytest.mark.skipif(not FONT.exists() or not CHROMIUM, reason="no font with these letters, or no browser")
def test_a_page_printed_by_a_browser_is_read_word_by_word(tmp_path: Path) -> None:
    """It joins the letters; PDFium gives some of these words in one direction, some in the other."""
    page = tmp_path / "a.html"
    shown = "".join(f"<p>{line}</p>" for line in ARABIC)
    page.write_text(f"<meta charset=utf-8><body dir=rtl style='font-family: DejaVu Sans'>{shown}", encoding="utf-8")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer", f"--user-data-dir={tmp_path}/u"]
    command = [CHROMIUM, *options, f"--print-to-pdf={tmp_path}/a.pdf", str(page)]
    subprocess.run(command, capture_output=True, timeout=60, check=True)
    text = _read(tmp_path / "a.pdf", tmp_path)
    for line in ARABIC:
        assert line.rstrip(".") in text
