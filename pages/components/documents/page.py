"""Page images with outlined boxes: in the Pages tab beside the text of the blocks, as a strip, in a dialog."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from core.documents.model import Block, Box, Chunk, Document
from core.documents.reading.blocks import HIDDEN
from core.platform.errors import NotFoundError
from pages.components.documents.bases import PAGE
from pages.components.documents.facts import has_pages
from pages.components.documents.quote import passage_html
from pages.components.documents.routes import page_image_url
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import MAX_TEXT, NO_HTML, Html, render
from pages.components.shell.widgets import offset_of_page

STRIP_WIDTH = 900
PAGE_WIDTH = 1400
BLOCKS_AT_ONCE = 60
HEADING_TYPES = ("header", "footer", "page_number", "aside_text", "page_footnote")


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


def page_view(document: Document, cited: Chunk | None) -> None:
    pictured = has_page_images(document.id)
    page = _page_picker(document, cited, pictured) if document.pages > 1 and (pictured or has_pages(document)) else 0
    whole = not pictured and not has_pages(document)
    blocks = services().library.passages.blocks(document.id, None if whole else page)
    marked = _marked(cited)
    if not pictured:
        if cited:
            st.html(render("documents/page.html", "cited", text=cited.text))
        _text_only(blocks, marked)
        return
    picture, words = st.columns([1.25, 1], gap="medium")
    with picture:
        st.html(page_html(document.id, page, outlines(blocks, page, cited)))
    with words, st.container(key="document-blocks"):
        if cited:
            st.html(render("documents/page.html", "cited", text=cited.text))
        _blocks(blocks, marked)


def outlines(blocks: Sequence[Block], page: int, cited: Chunk | None) -> list[Outline]:
    """Outlines of the page's blocks; those of the cited chunk are emphasised."""
    strong = {box for at, box in cited.boxes(0, len(cited.text)) if at == page} if cited else set()
    return [Outline(block.box, block.text, block.box in strong) for block in blocks if block.box]


def _page_picker(document: Document, cited: Chunk | None, pictured: bool) -> int:
    """The 0-based page; kept in the address."""
    key = f"document-page-{document.id}"
    linked = st.query_params.get(PAGE, str(cited.page + 1) if cited else "1")
    if key not in st.session_state or st.session_state.get(f"{key}-linked") != linked:
        st.session_state[f"{key}-linked"] = linked
        st.session_state[key] = min(max(int(linked), 1), document.pages) if linked.isdecimal() else 1
    with st.container(horizontal=True, vertical_alignment="center", key="document-page-picker"):
        number = st.number_input(
            t("documents.page.label"), 1, document.pages, key=key, width=150, label_visibility="collapsed"
        )
        st.caption(t("documents.page.of", pages=f"{document.pages:,}"), width="content")
        if pictured:
            st.caption(t("documents.page.hint"), width="content")
    st.session_state[f"{key}-linked"] = st.query_params[PAGE] = str(number)
    return int(number) - 1


def _marked(cited: Chunk | None) -> set[int]:
    return {span.block for span in cited.spans} if cited else set()


def _text_only(blocks: Sequence[Block], marked: set[int]) -> None:
    """Draw formats without page images: the blocks in reading order, some at a time."""
    first = next((index for index, block in enumerate(blocks) if block.index in marked), 0)
    start = offset_of_page(len(blocks), BLOCKS_AT_ONCE, f"document-part-{first}", first)
    _blocks(blocks[start : start + BLOCKS_AT_ONCE], marked)


def _blocks(blocks: Sequence[Block], marked: set[int]) -> None:
    if not blocks:
        st.caption(t("documents.page.nothing"))
    st.html(blocks_html(blocks, marked))


def blocks_html(blocks: Sequence[Block], cited: Collection[int] = ()) -> Html:
    """The text of each block with its kind; headings are emphasised, what surrounds the text is muted.

    cited: indexes of blocks that are emphasised too.
    """
    shown = [(*_looks_and_name(block), block.index in cited, _text(block)) for block in blocks]
    return render("documents/page.html", "blocks", shown=shown)


def _text(block: Block) -> Html:
    return passage_html(block.text, limit=MAX_TEXT) if block.text else NO_HTML


def _looks_and_name(block: Block) -> tuple[str, str]:
    looks = "is-heading" if block.level else "is-quiet" if block.type in HEADING_TYPES else ""
    known = block.type if block.type in NAMED else "other"
    names = [t(f"documents.block.{known}")] if block.type != "text" else []
    if block.confidence is not None:
        names.append(t("documents.block.recognised", share=f"{min(99, int(100 * block.confidence))}%"))
    return looks, " · ".join(names)


NAMED = (
    "table",
    "list",
    "image",
    "chart",
    "equation",
    "code",
    "header",
    "footer",
    "page_number",
    "page_footnote",
    HIDDEN,
)
