"""Mentions of an entity: the sentence with its names as links, the document, the page and the place on it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import streamlit as st

from core.documents.model import Box
from core.graph.model import Entity, MentionView
from pages.components.documents.bases import open_document
from pages.components.documents.facts import place_words
from pages.components.documents.page import has_page_images, page_strip, show_page
from pages.components.documents.quote import quote_html
from pages.components.graph.name_links import links_to
from pages.components.graph.seen import seen
from pages.components.graph.state import ENTITY, change, walk_to
from pages.components.run.live_html import live_html
from pages.components.shell.language import t
from pages.components.shell.text import label, markdown_of, render


def mention_list(entity: Entity, limit: int) -> None:
    """Draw the first `limit` mentions, with a strip of the page if the document has page images."""
    found = seen().graph.mentions(entity.id, limit)
    st.markdown(f"**{t('graph.panel.mentions')}**")
    if not found:
        st.caption(t("graph.panel.no_mentions"))
    beside = names_beside(entity.base_id, [view.mention.chunk_id for view in found], [entity])
    for view in found:
        _mention(view, beside[view.mention.chunk_id])
    if len(found) < entity.mentions:
        st.caption(t("graph.panel.mentions_shown", shown=len(found), total=entity.mentions))
        more = {"mentions": limit * 3}
        st.button(t("graph.panel.more"), key="graph-more-mentions", on_click=change, kwargs=more)


def _mention(view: MentionView, beside: Sequence[Entity]) -> None:
    mention = view.mention
    with st.container(border=True, gap="xsmall", key=f"mention-{mention.id}"):
        sentence(mention.id, view.sentence, [mention.surface], beside)
        if not view.used:
            st.caption(t("graph.panel.mention_off"))
        place = SentencePlace(view.document_name, mention.document_id, mention.page, mention.chunk_id, view.boxes)
        draw_place(place, mention.id)


def names_beside(base_id: str, chunk_ids: Sequence[str], shown: Sequence[Entity]) -> dict[str, list[Entity]]:
    """Entities of each chunk without the selected ones."""
    looked_at = {entity.id for entity in shown}
    found = seen().graph.mentioned_in(base_id, list(dict.fromkeys(chunk_ids)))
    return {chunk_id: [it for it in entities if it.id not in looked_at] for chunk_id, entities in found.items()}


def sentence(key: str, text: str, marked: Sequence[str], beside: Sequence[Entity]) -> None:
    """Draw a sentence. marked: words to mark; beside: entities whose names become links."""
    quoted = quote_html(text, marked, draw=links_to(beside))
    drawn = render("graph/graph.html", "sentence", words=quoted, is_small=False)
    clicked = live_html(f"sentence-{key}", "sentence", (("text", drawn),))
    if clicked and clicked.event == ENTITY:
        walk_to(clicked.value)
        st.rerun()


@dataclass(frozen=True, slots=True)
class SentencePlace:
    """Place of a sentence in a document."""

    document_name: str
    document_id: str
    page: int
    chunk_id: str
    boxes: tuple[tuple[int, Box], ...]
    """(page, box) of the blocks that hold it."""


def draw_place(place: SentencePlace, key: str, action: Callable[[], None] | None = None) -> None:
    """Draw a strip of the page if there is an image, then the document's name and a link.

    action: draws further actions on the sentence.
    """
    words = place_words(label(place.document_name, 60), place.page)
    pictured = bool(place.boxes) and has_page_images(place.document_id)
    if pictured:
        st.html(page_strip(place.document_id, *place.boxes[0]))
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", wrap=False):
        st.html(render("graph/graph.html", "quiet", words=words))
        with st.container(horizontal=True, gap="small", width="content"):
            if pictured and st.button(t("graph.panel.show_page"), type="tertiary", key=f"page-{key}"):
                show_page(markdown_of(words), place.document_id, place.boxes)
            if not pictured and st.button(t("graph.panel.open_document"), type="tertiary", key=f"open-{key}"):
                open_document(place.document_id, place.page, place.chunk_id)
            if action:
                action()
