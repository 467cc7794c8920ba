"""The Chunks tab: what is searched and quoted, with section and page, a page at a time."""

import re
from collections.abc import Sequence

import streamlit as st

from core.domain.documents import Chunk, Document
from pages.components.document_facts import has_pages
from pages.components.document_link import CHUNK, PAGE
from pages.components.document_quote import quote_html
from pages.components.language import t
from pages.components.services import services
from pages.components.text import html_of, label

PAGE_SIZE = 15
_EMPTY_LINES = re.compile(r"\n\s*\n")
"""Empty lines say nothing in a list."""


def chunk_list(document: Document, cited: Chunk | None) -> None:
    everything = services().library.chunks(document.id)
    query = st.text_input(
        t("documents.chunks.search"),
        key=f"chunk-query-{document.id}",
        type="search",
        live=True,
        placeholder=t("documents.chunks.search"),
        icon=":material/search:",
        label_visibility="collapsed",
        width=320,
    )
    words = (query or "").split()
    found = [chunk for chunk in everything if all(word.casefold() in chunk.text.casefold() for word in words)]
    if not found:
        st.caption(t("documents.chunks.nothing"))
    for chunk in _page_of(found, cited):
        _chunk(document, chunk, words, cited is not None and chunk.id == cited.id)


def _page_of(chunks: Sequence[Chunk], cited: Chunk | None) -> Sequence[Chunk]:
    """Begins with the page that holds the cited chunk."""
    pages = -(-len(chunks) // PAGE_SIZE)
    at = next((index for index, chunk in enumerate(chunks) if cited and chunk.id == cited.id), 0)
    number = 1
    with st.container(horizontal=True, vertical_alignment="center"):
        if pages > 1:
            number = st.pagination(pages, default=at // PAGE_SIZE + 1, key=f"chunk-page-{pages}-{at}")
        st.caption(t("documents.count.chunks", count=f"{len(chunks):,}"), width="content")
    return chunks[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]


def _chunk(document: Document, chunk: Chunk, words: Sequence[str], cited: bool) -> None:
    with st.container(border=True, gap="xsmall", key=f"chunk-{chunk.index}"):
        with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
            st.html(head_html(document, chunk, cited), width="content")
            if has_pages(document):
                st.button(
                    t("documents.chunks.show"),
                    icon=":material/find_in_page:",
                    type="tertiary",
                    key=f"show-{chunk.index}",
                    on_click=_show,
                    args=(document, chunk),
                )
        state = "" if chunk.enabled else "is-off"
        text = _EMPTY_LINES.sub("\n", chunk.text)
        st.html(f'<p class="gt-chunk {state}">{quote_html(text, words, 4000)}</p>')


def head_html(document: Document, chunk: Chunk, cited: bool) -> str:
    parts = [f"<b>{chunk.index + 1}</b>"]
    if has_pages(document):
        parts.append(html_of(t("documents.page.number", page=chunk.page + 1)))
    if chunk.section:
        parts.append(html_of(" › ".join(label(name, 60) for name in chunk.section)))
    chips = [("is-good", "cited")] if cited else []
    chips += [] if chunk.enabled else [("is-weak", "off")]
    marks = "".join(f'<li class="gt-chip {kind}">{html_of(t(f"documents.chunks.{key}"))}</li>' for kind, key in chips)
    return f'<ul class="gt-facts">{"".join(f"<li>{part}</li>" for part in parts)}{marks}</ul>'


def _show(document: Document, chunk: Chunk) -> None:
    """To the Pages tab, the chunk's blocks marked."""
    st.query_params[CHUNK] = chunk.id
    st.query_params[PAGE] = str(chunk.page + 1)
    st.session_state[f"document-tabs-{document.id}"] = t("documents.tab.pages")
