"""Lines written from right to left come in reading order, numbers in their places."""

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from core.adapters.docvortex.process import read_into
from tests.ingest import made_files

FONT = Path("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
LINES = ("המצוף הצפוני כויל במרץ 2024 על ידי דנה לוי.", "עומק המים במקום הוא 40 מטר.")


def _page(canvas: Any) -> None:
    """Glyphs from left to right in display order, as most programs write them."""
    import_module("reportlab.pdfbase.pdfmetrics").registerFont(
        import_module("reportlab.pdfbase.ttfonts").TTFont("DejaVu", FONT)
    )
    canvas.setFont("DejaVu", 12)
    for row, line in enumerate(LINES):
        shown = [word if word.isdigit() else word[::-1] for word in reversed(line.split())]
        canvas.drawRightString(540, 700 - 40 * row, " ".join(shown))


@pytest.mark.skipif(not FONT.exists(), reason="no font with Hebrew letters")
def test_hebrew_lines_read_from_right_to_left(tmp_path: Path) -> None:
    source, result = tmp_path / "a.pdf", tmp_path / "a.json"
    source.write_bytes(made_files.pdf(_page))
    with (tmp_path / "told").open("w") as channel:
        read_into([str(source), "a.pdf", "pdf", str(result), "off", str(tmp_path)], channel)
    text = " ".join(result.read_text("utf-8").split())
    assert "2024" in text
    for line in LINES:
        assert line.rstrip(".") in text
