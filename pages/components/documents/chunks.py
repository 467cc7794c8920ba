"""The Chunks tab: the searchable text with section and page; chunks are edited, disabled, or tried with a question."""

from collections.abc import Sequence
from itertools import accumulate

import streamlit as st

from core.documents.lifecycle.editing import MAX_CHARACTERS
from core.documents.model import Chunk, Document
from core.platform.language.terms import query_terms
from core.search.model import Hit
from pages.components.documents.bases import CHUNK, PAGE
from pages.components.documents.facts import counted_in_words, has_pages
from pages.components.documents.notices import attempt
from pages.components.documents.quote import passage_html
from pages.components.graph.state import ENTITY
from pages.components.graph.types import links_to
from pages.components.run.live_html import live_html
from pages.components.shell.boundary import succeeds
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import Html, label, render
from pages.components.shell.widgets import icon_button, offset_of_page, one_of, search_field

PAGE_SIZE = 15
KINDS = ("off", "edited")
_EDITING = "chunk-editing"
MOST_HITS = 12
LONGEST_HIT = 1_600
"""Longest excerpt of a chunk, in characters; few are longer."""
SOURCES = ("lexical", "vector")


def probe(document: Document, chunks: Sequence[Chunk], question: str) -> None:
    if not question.strip():
        st.caption(t("documents.chunks.ask_explain"))
        return
    with st.spinner(t("documents.chunks.asking")):
        hits = services().search.retriever.probe(document.base_id, question, MOST_HITS, [document.id])
    if not hits:
        st.caption(t("documents.chunks.no_hit"))
        return
    known = {chunk.id: chunk for chunk in chunks}
    best_first = sorted(hits, key=lambda hit: -hit.score)  # the search spreads them over the parts of a question
    rows = [(hit, known[hit.chunk_id]) for hit in best_first if hit.chunk_id in known]
    st.html(render("documents/chunk.html", "ranked", hits=_hits(document, rows, query_terms(question))))
    if any(not chunk.enabled for _, chunk in rows):
        st.caption(t("documents.chunks.off_explain"))


def _hits(
    document: Document, rows: Sequence[tuple[Hit, Chunk]], words: Sequence[str]
) -> list[tuple[int, str, list[str], Html]]:
    """Rank (0 for a disabled chunk), score, the place and the searches that found it, and the text."""
    ranks = accumulate(int(chunk.enabled) for _, chunk in rows)
    return [
        (
            rank if chunk.enabled else 0,
            f"{hit.score:.0%}",
            _hit_facts(document, hit, chunk),
            passage_html(chunk.text, words, LONGEST_HIT),
        )
        for rank, (hit, chunk) in zip(ranks, rows, strict=True)
    ]


def _hit_facts(document: Document, hit: Hit, chunk: Chunk) -> list[str]:
    return [
        t("documents.chunks.number", number=chunk.index + 1),
        *([t("documents.page.number", page=chunk.page + 1)] if has_pages(document) else []),
        *([label(chunk.section[-1], 60)] if chunk.section else []),
        *(t(f"documents.chunks.by_{source}") for source in SOURCES if source in hit.sources),
    ]


def editing(chunk: Chunk) -> bool:
    return bool(st.session_state.get(_EDITING) == chunk.id)


def edit_chunk(chunk: Chunk) -> None:
    """Opens the chunk's form, or closes it."""
    st.session_state[_EDITING] = None if editing(chunk) else chunk.id


def switch(chunk: Chunk) -> None:
    """Disables an enabled chunk and vice versa."""
    attempt(lambda: _switch(chunk))


def _switch(chunk: Chunk) -> None:
    services().lifecycle.chunk_editor.switch(chunk.id, not chunk.enabled)
    if chunk.enabled:
        st.toast(t("documents.edit.switched_off"), icon=":material/check:")


def chunk_form(document: Document, chunk: Chunk) -> None:
    text = st.text_area(
        t("documents.edit.text"),
        chunk.text,
        max_chars=MAX_CHARACTERS,
        height=260,
        key=f"chunk-text-{chunk.id}",
        label_visibility="collapsed",
        on_change="ignore",
    )
    st.caption(t("documents.edit.explain"))
    with st.container(horizontal=True, key="chunk-form-actions"):
        save = st.button(t("documents.edit.save"), type="primary", key="chunk-save")
        st.button(t("documents.edit.cancel"), key="chunk-cancel", on_click=edit_chunk, args=(chunk,))
        restore = chunk.original and st.button(
            t("documents.edit.restore"), icon=":material/history:", key="chunk-restore"
        )
    if chunk.original:
        with st.expander(t("documents.edit.original")):
            st.html(render("documents/chunk.html", "original", text=chunk.original, limit=MAX_CHARACTERS))
    if save or restore:
        _keep(document, chunk, chunk.original if restore else text or "")


def _keep(document: Document, chunk: Chunk, text: str) -> None:
    rewrite = services().lifecycle.chunk_editor.rewrite
    with st.spinner(t("documents.edit.saving")):
        is_kept = succeeds(lambda: rewrite(document.id, chunk.id, text))
    if not is_kept:
        return
    st.session_state[_EDITING] = None
    found = services().graph.of_chunks([chunk.id]).get(chunk.id, [])
    st.toast(t("documents.edit.saved", entities=len(found)), icon=":material/check:")
    st.rerun()


def chunk_list(document: Document, cited: Chunk | None, editable: bool) -> None:
    """editable: whether the reader may change chunks."""
    everything = services().library.passages.chunks(document.id)
    with st.container(horizontal=True, vertical_alignment="center", key="chunk-tools"):
        words, look = t("documents.chunks.mode"), {"default": "find", "key": f"chunk-mode-{document.id}"}
        trying = one_of(words, ("find", "test"), lambda mode: t(f"documents.chunks.{mode}"), **look) == "test"
        query = _query(document, trying)
    if trying:
        probe(document, everything, query)
        return
    wanted = query.split()
    kind = _kind(document, everything)
    found = [c for c in everything if is_of(kind, c) and all(word.casefold() in c.text.casefold() for word in wanted)]
    if not found:
        st.caption(t("documents.chunks.nothing"))
    for chunk in _page_of(found, cited):
        with st.container(border=True, gap="xsmall", key=f"chunk-{chunk.index}"):
            _head(document, chunk, cited is not None and chunk.id == cited.id, editable)
            _body(document, chunk, wanted, editable)


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
            key = f"show-{chunk.index}"
            icon_button("find_in_page", t("documents.chunks.show"), key, show_chunk, document, chunk)
        if not editable:
            return
        icon_button("edit", t("documents.edit.label"), f"edit-{chunk.index}", edit_chunk, chunk)
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
