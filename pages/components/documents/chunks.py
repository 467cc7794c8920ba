"""The Chunks tab: the searchable text with section and page; each chunk can be edited or disabled."""

from collections.abc import Sequence

import streamlit as st

from core.documents.model import Chunk, Document
from pages.components.documents.chunk_edit import chunk_form, edit_chunk, editing, switch
from pages.components.documents.chunk_probe import probe
from pages.components.documents.facts import counted_in_words, has_pages
from pages.components.documents.link import CHUNK, PAGE
from pages.components.documents.quote import passage_html
from pages.components.graph.name_links import links_to
from pages.components.graph.state import ENTITY
from pages.components.run.live_html import live_html
from pages.components.shell.language import t
from pages.components.shell.lists import offset_of_page, search_field
from pages.components.shell.services import services
from pages.components.shell.text import Html, label, render

PAGE_SIZE = 15
KINDS = ("off", "edited")


def chunk_list(document: Document, cited: Chunk | None, editable: bool) -> None:
    """editable: whether the reader may change chunks."""
    everything = services().library.passages.chunks(document.id)
    with st.container(horizontal=True, vertical_alignment="center", key="chunk-tools"):
        trying = (
            st.segmented_control(
                t("documents.chunks.mode"),
                ("find", "test"),
                default="find",
                required=True,
                format_func=lambda mode: t(f"documents.chunks.{mode}"),
                key=f"chunk-mode-{document.id}",
                label_visibility="collapsed",
            )
            == "test"
        )
        query = _query(document, trying)
    if trying:
        probe(document, everything, query)
        return
    words = query.split()
    kind = _kind(document, everything)
    found = [c for c in everything if is_of(kind, c) and all(word.casefold() in c.text.casefold() for word in words)]
    if not found:
        st.caption(t("documents.chunks.nothing"))
    for chunk in _page_of(found, cited):
        with st.container(border=True, gap="xsmall", key=f"chunk-{chunk.index}"):
            _head(document, chunk, cited is not None and chunk.id == cited.id, editable)
            _body(document, chunk, words, editable)


def _query(document: Document, trying: bool) -> str:
    words, kind = ("documents.chunks.ask", "test") if trying else ("documents.chunks.search", "query")
    return search_field(t(words), f"chunk-{kind}-{document.id}", width=420, live=not trying)


def _kind(document: Document, chunks: Sequence[Chunk]) -> str:
    """Filter by kind, shown only if there are different kinds."""
    counts = {kind: sum(is_of(kind, chunk) for chunk in chunks) for kind in KINDS}
    present = [kind for kind in KINDS if counts[kind]]
    if not present:
        return ""
    chosen = st.pills(
        t("documents.chunks.kind"),
        present,
        format_func=lambda kind: f"{t(f'documents.chunks.{kind}')} :small[:gray[{counts[kind]:,}]]",
        key=f"chunk-kind-{document.id}",
        label_visibility="collapsed",
    )
    return chosen or ""


def is_of(kind: str, chunk: Chunk) -> bool:
    """kind: off, edited, or empty for every chunk."""
    return {"off": not chunk.enabled, "edited": bool(chunk.original)}.get(kind, True)


def _page_of(chunks: Sequence[Chunk], cited: Chunk | None) -> Sequence[Chunk]:
    """Chunks of the selected list page; initially the one with the cited chunk."""
    at = next((index for index, chunk in enumerate(chunks) if cited and chunk.id == cited.id), 0)
    with st.container(horizontal=True, vertical_alignment="center"):
        start = offset_of_page(len(chunks), PAGE_SIZE, f"chunk-page-{at}", at)
        st.caption(counted_in_words("chunks", len(chunks)), width="content")
    return chunks[start : start + PAGE_SIZE]


def _head(document: Document, chunk: Chunk, cited: bool, editable: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", horizontal_alignment="distribute"):
        st.html(head_html(document, chunk, cited), width="content")
        _actions(document, chunk, editable)


def _body(document: Document, chunk: Chunk, words: Sequence[str], editable: bool) -> None:
    if editable and editing(chunk):
        chunk_form(document, chunk)
        return
    draw = links_to(services().graph.mentioned_in(document.base_id, [chunk.id])[chunk.id])
    body = passage_html(chunk.text, words, 4000, draw)
    text = render("documents/chunk.html", "text", body=body, is_enabled=chunk.enabled)
    clicked = live_html(f"chunk-text-{chunk.id}", "chunk", (("text", text),))
    if clicked and clicked.event == ENTITY:
        st.switch_page("pages/graph.py", query_params={ENTITY: clicked.value})


def _actions(document: Document, chunk: Chunk, editable: bool) -> None:
    with st.container(horizontal=True, width="content", gap="xsmall", vertical_alignment="center"):
        if has_pages(document):
            st.button(
                "",
                icon=":material/find_in_page:",
                type="tertiary",
                help=t("documents.chunks.show"),
                key=f"show-{chunk.index}",
                on_click=show_chunk,
                args=(document, chunk),
            )
        if not editable:
            return
        st.button(
            "",
            icon=":material/edit:",
            type="tertiary",
            help=t("documents.edit.label"),
            key=f"edit-{chunk.index}",
            on_click=edit_chunk,
            args=(chunk,),
        )
        st.toggle(
            t("documents.edit.on"),
            chunk.enabled,
            help=t("documents.edit.switch_help"),
            key=f"on-{chunk.id}-{chunk.enabled}",
            label_visibility="collapsed",
            on_change=switch,
            args=(chunk,),
        )


def head_html(document: Document, chunk: Chunk, cited: bool) -> Html:
    chips = [("is-good", "cited")] if cited else []
    chips += [] if chunk.enabled else [("is-weak", "off")]
    chips += [("is-weak", "edited")] if chunk.original else []
    return render(
        "documents/chunk.html",
        "head",
        number=chunk.index + 1,
        page=t("documents.page.number", page=chunk.page + 1) if has_pages(document) else "",
        section=" › ".join(label(name, 60) for name in chunk.section),
        marks=[(looks, t(f"documents.chunks.{key}")) for looks, key in chips],
    )


def show_chunk(document: Document, chunk: Chunk) -> None:
    """Opens the Pages tab with the chunk's blocks marked."""
    st.query_params[CHUNK] = chunk.id
    st.query_params[PAGE] = str(chunk.page + 1)
    st.session_state[f"document-tabs-{document.id}"] = t("documents.tab.pages")
