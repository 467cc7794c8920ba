"""Page images with outlined boxes: a whole page, a strip around a box, a page in a dialog."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from core.documents.model import Box
from core.platform.errors import NotFoundError
from pages.components.documents.routes import page_image_url
from pages.components.shell.services import services
from pages.components.shell.text import Html, render

STRIP_WIDTH = 900
PAGE_WIDTH = 1400


@dataclass(frozen=True, slots=True)
class Outline:
    """A box on a page."""

    box: Box
    text: str = ""
    """Shown on hover and focus (untrusted)."""
    strong: bool = False


def has_page_images(document_id: str) -> bool:
    """Whether page images exist: for PDFs, and for results that contain their PDF."""
    try:
        return services().lifecycle.page_images.shows(services().library.documents.get(document_id))
    except NotFoundError:
        return False


def page_html(document_id: str, page: int, outlines: Sequence[Outline]) -> Html:
    """The page image with outlines; boxes are relative to the page and fit any size."""
    drawn = [_drawn(outline) for outline in outlines]
    return render("documents/page.html", "sheet", image=_image(document_id, page, PAGE_WIDTH), outlines=drawn)


def page_strip(document_id: str, page: int, box: Box) -> Html:
    """A strip of the page around the box, enlarged to be readable in a narrow column."""
    scale = min(max(900 / max(box[2] - box[0], 1), 1.0), 2.0)
    margin = 50 / scale
    x = min(max((box[0] + box[2]) / 20, margin), 100 - margin)
    y = min((box[1] + box[3]) / 20, box[1] / 10 + 4)
    style = f"width: {100 * scale:.0f}%; transform: translate(-{x:.2f}%, -{y:.2f}%)"
    drawn = [_drawn(Outline(box, strong=True))]
    image = _image(document_id, page, STRIP_WIDTH)
    return render("documents/page.html", "strip", image=image, outlines=drawn, style=style)


def show_page(title: str, document_id: str, boxes: Sequence[tuple[int, Box]]) -> None:
    """Opens the page of the first box in a dialog, with the box in view; `title` is Markdown."""

    @st.dialog(title, width="large")
    def dialog() -> None:
        page = boxes[0][0]
        st.html(page_html(document_id, page, [Outline(box, strong=True) for at, box in boxes if at == page]))
        _scroll()(key="page-shown", data={"box": (document_id, *boxes[0])})

    dialog()


@cache
def _scroll() -> Any:
    """Without isolated styles, so that its script reaches the page beside it."""
    script = Path(__file__).with_name("show_box.js").read_text(encoding="utf-8")
    return st.components.v2.component("graphtalk.show_box", js=script, isolate_styles=False)


def _image(document_id: str, page: int, width: int) -> tuple[str, int]:
    return page_image_url(document_id, page, width), page + 1


def _drawn(outline: Outline) -> tuple[str, str, str, str]:
    """Classes and style of the box, classes and text of the tip."""
    left, top, right, bottom = outline.box
    style = (
        f"left: {left / 10:.1f}%; top: {top / 10:.1f}%; "
        f"width: {max(right - left, 1) / 10:.1f}%; height: {max(bottom - top, 1) / 10:.1f}%"
    )
    side = f"gt-tip{' is-above' if top > 550 else ''}{' is-left' if left > 500 else ''}"
    return "gt-outline is-strong" if outline.strong else "gt-outline", style, side, outline.text
