"""The documents of a knowledge base that are done or have failed: found, filtered, a page at a time."""

from collections.abc import Sequence

import streamlit as st

from core.domain.documents import Document, DocumentStatus
from core.settings.parsers import PARSERS
from pages.components.documents.delete import ask_delete
from pages.components.documents.facts import ACTIVE, counted_in_words, facts, failure
from pages.components.documents.link import DOCUMENT
from pages.components.documents.parser import configured, parser_name
from pages.components.documents.password import password_form
from pages.components.documents.selection import clear_selection, select, select_all, selected, turn
from pages.components.documents.start import paused_buttons, paused_words
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import html_of, markdown_of

PAGE_SIZE = 20
DAMAGED = "ingest.error.damaged"
"""Of such a file no picture can be made either."""
CURED_BY_OCR = frozenset(f"ingest.error.{name}" for name in ("scanned", "image", "garbled", "no_text"))
"""Why files failed that can be read since text recognition came."""
SORTS = ("newest", "name", "largest", "status")
STATUSES = (DocumentStatus.PAUSED, DocumentStatus.FAILED, DocumentStatus.CANCELLED, DocumentStatus.READY)
"""What asks for a person's attention first."""


def document_list(documents: Sequence[Document]) -> None:
    done = [document for document in documents if document.status not in ACTIVE]
    if not done:
        return
    found = sorted_by(_filters(done), st.session_state.get("documents-sort", SORTS[0]))
    if not found:
        st.caption(t("documents.list.nothing"))
    _selection(done, found)
    for document in _page_of(found):
        _row(document, selectable=len(done) > 1)


def matching(documents: Sequence[Document], query: str, status: str) -> list[Document]:
    """Those whose name or title holds every word of the query, with the status; empty means any."""
    words = query.casefold().split()
    return [
        document
        for document in documents
        if (not status or document.status == status)
        and all(word in f"{document.name} {document.title}".casefold() for word in words)
    ]


def sorted_by(documents: Sequence[Document], order: str) -> list[Document]:
    if order == "name":
        return sorted(documents, key=lambda document: (document.name.casefold(), document.id))
    if order == "largest":
        return sorted(documents, key=lambda document: (-document.pages, -document.size, document.id))
    newest = sorted(documents, key=lambda document: (document.added_at, document.id), reverse=True)
    return sorted(newest, key=lambda document: STATUSES.index(document.status)) if order == "status" else newest


def _filters(documents: Sequence[Document]) -> list[Document]:
    """Fields only when there is something to narrow."""
    if len(documents) < 5:
        return list(documents)
    counts = {status: sum(document.status is status for document in documents) for status in STATUSES}
    present = [status for status in STATUSES if counts[status]]
    with st.container(horizontal=True, vertical_alignment="center", key="documents-filters"):
        query = st.text_input(
            t("documents.list.search"),
            key="documents-query",
            type="search",
            live=True,
            placeholder=t("documents.list.search"),
            icon=":material/search:",
            label_visibility="collapsed",
            width=280,
        )
        status = None
        if len(present) > 1:
            status = st.pills(
                t("documents.list.status"),
                present,
                format_func=lambda status: f"{t(f'documents.status.{status}')} :small[:gray[{counts[status]}]]",
                key="documents-status",
                label_visibility="collapsed",
            )
        st.space("stretch")
        st.selectbox(
            t("documents.list.sort"),
            SORTS,
            format_func=lambda order: t(f"documents.sort.{order}"),
            key="documents-sort",
            label_visibility="collapsed",
            width=150,
        )
    return matching(documents, query or "", status or "")


def _page_of(documents: Sequence[Document]) -> Sequence[Document]:
    pages = -(-len(documents) // PAGE_SIZE)
    if pages < 2:
        return documents
    with st.container(horizontal=True, vertical_alignment="center"):
        number = st.pagination(pages, key=f"documents-page-{pages}")
        st.caption(counted_in_words("documents", len(documents)), width="content")
    return documents[(number - 1) * PAGE_SIZE : number * PAGE_SIZE]


def _selection(documents: Sequence[Document], found: Sequence[Document]) -> None:
    """What can be done with the selected ones; nothing while none is."""
    chosen = [document for document in documents if document.id in selected()]
    if not chosen:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="documents-selection"):
        st.markdown(t("documents.select.count", count=f"{len(chosen):,}"), width="content")
        if len(chosen) < len(found):
            everything = [document.id for document in found]
            words = t("documents.select.all", count=f"{len(found):,}")
            st.button(words, type="tertiary", key="select-all", on_click=select_all, args=(everything,))
        st.button(t("documents.select.none"), type="tertiary", key="select-none", on_click=clear_selection)
        if st.button(t("documents.delete.selected"), icon=":material/delete:", key="delete-selected"):
            ask_delete(*chosen)


def _row(document: Document, selectable: bool) -> None:
    ready = document.status is DocumentStatus.READY
    with (
        st.container(key=f"row-{document.id}", gap=None),
        st.container(horizontal=True, vertical_alignment="center", wrap=False),
    ):
        if selectable:
            _check_box(document)
        with st.container(gap=None):
            name = markdown_of(document.name, 140)
            if ready:
                st.button(name, type="tertiary", key=f"open-{document.id}", on_click=_open, args=(document.id,))
            else:
                st.markdown(f"**{name}**")
            st.html(row_html(document))
            if document.status is DocumentStatus.PAUSED:
                paused_buttons(document)
            elif services().lifecycle.unlocking.waits(document):
                password_form(document)
            elif not ready:
                _retry_buttons(document)
        delete = st.button(
            "", icon=":material/delete:", type="tertiary", help=t("documents.delete.label"), key=f"delete-{document.id}"
        )
    if delete:
        ask_delete(document)


def _retry_buttons(document: Document) -> None:
    """Again as it was, or with each other parser that is set up."""
    with st.container(horizontal=True, gap="xsmall"):
        by_ocr = document.error_key in CURED_BY_OCR and services().ingestion.engines.reads_pictures
        st.button(
            t("documents.retry_ocr" if by_ocr else "documents.retry"),
            icon=":material/refresh:",
            key=f"retry-{document.id}",
            on_click=services().lifecycle.intake.retry,
            args=(document.id,),
        )
        tried = document.parser_choice or services().settings.parser
        for parser in configured():
            helps = document.error_key != DAMAGED or not PARSERS[parser].every_page_read
            if parser != tried and helps and document.status is DocumentStatus.FAILED:
                st.button(
                    t("documents.again.with_parser", name=parser_name(parser)),
                    key=f"retry-{document.id}-{parser}",
                    on_click=services().lifecycle.intake.parse_again,
                    args=(document.id, parser),
                )


def _check_box(document: Document) -> None:
    key = f"select-{document.id}-{turn()}"
    words = t("documents.select.one")
    arguments = (document.id, key)
    st.checkbox(
        words,
        document.id in selected(),
        key=key,
        label_visibility="collapsed",
        width="content",
        on_change=select,
        args=arguments,
    )


def row_html(document: Document) -> str:
    """Status, facts and, when it failed, why; all of it may hold untrusted words."""
    chip = {"failed": "is-bad", "cancelled": "is-weak", "paused": "is-weak"}.get(document.status, "is-good")
    status = f'<li class="gt-chip {chip}">{html_of(t(f"documents.status.{document.status}"))}</li>'
    rest = "".join(f"<li>{html_of(fact)}</li>" for fact in facts(document))
    why = failure(document) if document.status is DocumentStatus.FAILED else ""
    if services().lifecycle.unlocking.waits(document):
        why = t("documents.password.needed")
    reason = f'<p class="gt-reason">{html_of(why, 600)}</p>' if why else ""
    if document.status is DocumentStatus.PAUSED:
        reason = f'<p class="gt-note">{html_of(paused_words(document), 600)}</p>'
    return f'{reason}<ul class="gt-facts">{status}{rest}</ul>'


def _open(document_id: str) -> None:
    st.query_params[DOCUMENT] = document_id
