"""Pictures on pages that may hold words: where they are, and which are left out."""

from contextlib import closing
from importlib import import_module
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from core.documents.parsing.pdf.text_layer import open_pdf, readable_pictures
from tests.documents.made_files import pdf


def areas(path: Path, data: bytes) -> list[tuple[float, ...]]:
    """left, top, right, bottom in points of a page of 400 by 400, from its top."""
    path.write_bytes(data)
    with closing(open_pdf(path, path.name)) as document, closing(document[0]) as page:
        return [tuple(round(share * 400) for share in area) for area in readable_pictures(page)]


def picture() -> Any:
    file = BytesIO()
    Image.new("RGB", (300, 200), "grey").save(file, "PNG")
    file.seek(0)
    return import_module("reportlab.lib.utils").ImageReader(file)


def in_a_form(canvas: Any) -> None:
    canvas.beginForm("drawing")
    canvas.drawImage(picture(), 10, 20, 100, 50)
    canvas.endForm()
    canvas.translate(200, 100)
    canvas.scale(0.5, 2)
    canvas.doForm("drawing")


def under_words(canvas: Any) -> None:
    canvas.drawImage(picture(), 50, 50, 120, 40)
    for line in range(3):
        canvas.drawString(52, 54 + 12 * line, "Words of the page itself")


def under_a_label(canvas: Any) -> None:
    canvas.drawImage(picture(), 50, 50, 120, 100)
    canvas.drawString(60, 60, "Map 3")


@pytest.mark.parametrize(
    ("draw", "found"),
    [
        pytest.param(in_a_form, [(205, 160, 255, 260)], id="in a form, where the form is drawn"),
        pytest.param(under_words, [], id="the background of the page's own words"),
        pytest.param(under_a_label, [(50, 250, 170, 350)], id="with a label of the page on it"),
    ],
)
def test_pictures_that_may_hold_words(tmp_path: Path, draw: Any, found: list[tuple[int, ...]]) -> None:
    assert areas(tmp_path / "page.pdf", pdf(draw, pagesize=(400, 400))) == found
