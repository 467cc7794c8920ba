"""The view of one document: facts, pages, chunks, entities, each loaded when opened; reading with another parser."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.documents.model import Block, Chunk, Document
from core.documents.ports.publishing import Publication
from core.graph.model import Entity
from core.platform.settings.parsers import parsers
from pages.components.documents.bases import CHUNK, close_document
from pages.components.documents.chunks import KINDS, chunk_list, is_of
from pages.components.documents.delete import ask_delete
from pages.components.documents.facts import facts, failure, reader_name, remarks
from pages.components.documents.notices import attempt, show_notices
from pages.components.documents.page import blocks_html, page_view
from pages.components.documents.progress import REFRESH_SECONDS, compared, work_html
from pages.components.documents.upload import configured, parser_name
from pages.components.documents.waiting import paused_buttons, paused_words
from pages.components.graph.state import ENTITIES, ENTITY
from pages.components.graph.types import entity_label, type_sign, type_title
from pages.components.shell.downloads import download_button
from pages.components.shell.identity import may_edit, say_read_only
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import Html, html_of, markdown_of, render
from pages.components.shell.widgets import refresh_page

LISTED = 24
IN_GRAPH = 60
COUNTED = ("pages", "blocks", "chunks", "entities")


def document_view(document: Document) -> None:
    editable = may_edit(document.base_id)
    _header(document, editable)
    show_notices()
    if editable:
        decide(document)
    cited = _cited(document)
    pages, chunks, entities = st.tabs(
        [t("documents.tab.pages"), t("documents.tab.chunks"), t("documents.tab.entities")],
        key=f"document-tabs-{document.id}",
        on_change="rerun",
    )
    if pages.open:
        with pages:
            page_view(document, cited)
    if chunks.open:
        with chunks:
            chunk_list(document, cited, editable)
    if entities.open:
        with entities:
            entity_list(document)


def _header(document: Document, editable: bool) -> None:
    st.button(t("documents.back"), icon=":material/arrow_back:", type="tertiary", on_click=close_document)
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        st.markdown(f"## {markdown_of(document.name, 160)}", width="stretch")
        if editable and st.button(
            "", icon=":material/delete:", type="tertiary", help=t("documents.delete.label"), key="document-delete"
        ):
            ask_delete(document)
    reader = reader_name(document.parser)
    told = [*facts(document), *([t("documents.parser", name=reader)] if reader else [])]
    told += [words] if (words := compared(document.estimate, document.spent)) else []
    st.html(render("parts.html", "facts", words=told))
    with st.container(horizontal=True, vertical_alignment="center", key="document-tools"):
        if editable:
            _form(document)
        _download(document)
        if editable:
            read_again_button(document)
    if not editable:
        say_read_only()
    for remark in remarks(document):
        st.info(markdown_of(remark), icon=":material/info:")


def _form(document: Document) -> None:
    key = f"form-{document.id}-{document.form}"
    words, more = t("documents.form.label"), t("documents.form.help")
    mark = partial(services().library.documents.mark_form, document.id, not document.form)
    st.toggle(words, document.form, key=key, help=more, width="content", on_change=attempt, args=(mark,))


def _cited(document: Document) -> Chunk | None:
    """The chunk named in the address; None if it belongs to another document or is disabled."""
    wanted = st.query_params.get(CHUNK, "")
    found = services().library.passages.get([wanted]) if wanted else []
    return next((passage.chunk for passage in found if passage.chunk.document_id == document.id), None)


def _download(document: Document) -> None:
    """The file is read on click; shows nothing for a document without a file."""
    path = services().storage.files.path(document.sha256)
    if not path.is_file():
        return
    words, kind = t("documents.download"), document.media_type or "application/octet-stream"
    noted, key = ("document.downloaded", document.id), "document-download"
    download_button(words, document.name, kind, path.read_bytes, *noted, type="tertiary", key=key)


def entity_list(document: Document) -> None:
    ranked = of_document(document)
    if not ranked:
        st.caption(t("documents.entities.nothing"))
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(t("documents.entities.explain", count=f"{len(ranked):,}"), width="content")
        if st.button(t("documents.entities.graph"), icon=":material/hub:", key="document-graph"):
            chosen = ",".join(entity.id for entity, _ in ranked[:IN_GRAPH])
            st.switch_page("pages/graph.py", query_params={ENTITIES: chosen})
    groups: dict[str, list[tuple[Entity, int]]] = {}
    for entity, count in ranked:
        groups.setdefault(entity.type, []).append((entity, count))
    for type_name, rows in sorted(groups.items(), key=lambda group: -len(group[1])):
        st.markdown(f"{type_sign(type_name)} **{markdown_of(type_title(type_name))}** :small[:gray[{len(rows)}]]")
        _chips(type_name, rows)


def of_document(document: Document) -> list[tuple[Entity, int]]:
    """(entity, chunks of this document that mention it), most first."""
    chunk_ids = [chunk.id for chunk in services().library.passages.chunks(document.id)]
    counts: Counter[str] = Counter()
    entities: dict[str, Entity] = {}
    for found in services().graph.of_chunks(chunk_ids).values():
        for entity in found:
            counts[entity.id] += 1
            entities[entity.id] = entity
    return sorted(
        ((entities[key], count) for key, count in counts.items()), key=lambda row: (-row[1], row[0].name, row[0].id)
    )


def _chips(type_name: str, rows: list[tuple[Entity, int]]) -> None:
    opened = st.session_state.get(f"entities-{type_name}", False)
    listed = rows if opened else rows[:LISTED]
    with st.container(horizontal=True, gap="xxsmall", key=f"graph-chips-{type_name}"):
        for entity, count in listed:
            if st.button(entity_label(entity, str(count)), key=f"entity-{entity.id}"):
                st.switch_page("pages/graph.py", query_params={ENTITY: entity.id})
    if len(rows) > len(listed):
        words = t("graph.panel.all_neighbours", count=len(rows) - len(listed))
        st.button(words, type="tertiary", key=f"more-{type_name}", on_click=_open_all, args=(type_name,))


def _open_all(type_name: str) -> None:
    st.session_state[f"entities-{type_name}"] = True


def read_again_button(document: Document) -> None:
    """Shows nothing for a document without a file, or while two readings await a decision."""
    if not services().storage.files.path(document.sha256).is_file() or services().lifecycle.reparse.earlier(
        document.id
    ):
        return
    ready = configured()
    with st.popover(t("documents.again.label"), icon=":material/restart_alt:", type="tertiary"):
        parser = st.radio(t("documents.again.with"), ready, format_func=parser_name, key=f"again-{document.id}")
        st.caption(t("documents.again.explain"))
        if parsers()[parser].leaves_machine:
            st.caption(t("documents.parsers.leaves", name=parser_name(parser)))
        st.button(
            t("documents.again.do"),
            type="primary",
            key="again-do",
            on_click=attempt,
            args=(lambda: services().lifecycle.reparse.begin(document.id, parser),),
        )


def decide(document: Document) -> None:
    """Shows nothing if there is only one reading."""
    earlier = services().lifecycle.reparse.earlier(document.id)
    if earlier is None:
        return
    with st.container(border=True, key="document-again"):
        if services().lifecycle.reparse.is_busy(document):
            if document.paused:
                st.caption(markdown_of(paused_words(document), 600))
                paused_buttons(document)
            else:
                _follow(document.id)
        elif services().lifecycle.reparse.is_ready(document):
            _compare(document, earlier)
        else:
            why = failure(document) or t("documents.again.cancelled")
            st.warning(markdown_of(why, 600), icon=":material/error:")
            _reading_button("let_go", document, "secondary")


@st.fragment(run_every=REFRESH_SECONDS)
def _follow(document_id: str) -> None:
    document = services().library.documents.get(document_id)
    if not services().lifecycle.reparse.is_busy(document) or document.paused:
        refresh_page()
    st.caption(t("documents.again.under_way"))
    st.html(work_html(document, services().library.ingest_records.stages(document_id)))
    cancel = partial(services().lifecycle.intake.cancel, document_id)
    st.button(t("documents.work.cancel"), key="again-cancel", on_click=attempt, args=(cancel,))


def _compare(document: Document, before: Publication) -> None:
    st.markdown(f"**{t('documents.again.compare')}**")
    blocks = services().library.passages.blocks(document.id)
    st.html(comparison_html(document, blocks, services().library.passages.chunks(document.id), before))
    pages = max(document.pages, before.pages)
    number = 1
    if pages > 1:
        number = int(st.number_input(t("documents.page.label"), 1, pages, key="again-page", width=150))
    old, new = st.columns(2, gap="medium")
    for column, side, found in ((old, "old", before.blocks), (new, "new", blocks)):
        with column, st.container(height=320, key=f"again-{side}"):
            st.html(_page_html(found, number - 1))
    with st.container(horizontal=True):
        _reading_button("new", document, "primary")
        _reading_button("old", document, "secondary")


def comparison_html(document: Document, blocks: Sequence[Block], chunks: Sequence[Chunk], before: Publication) -> Html:
    """A table of counts, the old reading first; what the reader changed is counted where there is any."""
    named = len({mention.entity_id for mention in before.mentions})
    old = (before.pages, len(before.blocks), len(before.chunks), named)
    new = (document.pages, len(blocks), document.chunks, document.entities)
    rows = [("parser", reader_name(before.parser), reader_name(document.parser))]
    rows += [(name, f"{was:,}", f"{now:,}") for name, was, now in zip(COUNTED, old, new, strict=True)]
    for kind in KINDS:
        was, now = (sum(is_of(kind, chunk) for chunk in reading) for reading in (before.chunks, chunks))
        rows += [(kind, f"{was:,}", f"{now:,}")] if was or now else []
    return render("documents/document.html", "readings", rows=rows)


def _page_html(blocks: Sequence[Block], page: int) -> Html:
    own = [block for block in blocks if block.page == page]
    return blocks_html(own) if own else html_of(t("documents.page.nothing"))


def _reading_button(answer: str, document: Document, kind: str) -> None:
    reparse = services().lifecycle.reparse
    act = reparse.keep_new if answer == "new" else reparse.keep_old
    st.button(
        t(f"documents.again.keep_{answer}"),
        type=kind,  # type: ignore[arg-type]  # a literal each
        key=f"again-keep-{answer}",
        on_click=attempt,
        args=(lambda: act(document.id),),
    )
