"""Mentions of an entity: sentence, document, page and place on it."""

from dataclasses import replace

import streamlit as st

from core.domain.knowledge import Entity, MentionView
from pages.components.documents.link import open_document
from pages.components.documents.page import has_page_images, page_strip, show_page
from pages.components.documents.quote import quote_html
from pages.components.graph.seen import seen
from pages.components.graph.state import graph_state, keep
from pages.components.shell.language import t
from pages.components.shell.text import html_of, label, markdown_of


def mention_list(entity: Entity, limit: int) -> None:
    """The first `limit` mentions, each with a strip of its page where the document has page images."""
    found = seen().graph.mentions(entity.id, limit)
    st.markdown(f"**{t('graph.panel.mentions')}**")
    if not found:
        st.caption(t("graph.panel.no_mentions"))
    for view in found:
        _mention(view)
    if len(found) < entity.mentions:
        st.caption(t("graph.panel.mentions_shown", shown=len(found), total=entity.mentions))
        st.button(t("graph.panel.more"), key="graph-more-mentions", on_click=_show_more)


def _mention(view: MentionView) -> None:
    mention = view.mention
    place = t("graph.panel.page", document=label(view.document_name, 60), page=mention.page + 1)
    with st.container(border=True, gap="xsmall", key=f"mention-{mention.id}"):
        st.html(f'<p class="gt-sentence">{quote_html(view.sentence, [mention.surface])}</p>')
        pictured = bool(view.boxes) and has_page_images(mention.document_id)
        if pictured:
            st.html(page_strip(mention.document_id, *view.boxes[0]))
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", wrap=False):
            st.html(f'<span class="gt-quiet">{html_of(place)}</span>')
            if pictured and st.button(t("graph.panel.show_page"), type="tertiary", key=f"page-{mention.id}"):
                show_page(markdown_of(place), mention.document_id, view.boxes)
            if not pictured and st.button(t("graph.panel.open_document"), type="tertiary", key=f"open-{mention.id}"):
                open_document(mention.document_id, mention.page, mention.chunk_id)


def _show_more() -> None:
    state = graph_state()
    keep(replace(state, mentions=state.mentions * 3))
