"""List of finished and failed documents, with search, filter and paging."""

from collections.abc import Mapping
from functools import partial

import streamlit as st

from core.documents.model import ATTENTION, SETTLED, Document, DocumentFilter, DocumentOrder, DocumentStatus
from core.platform.settings.parsers import parsers
from pages.components.documents.bases import DOCUMENT
from pages.components.documents.delete import ask_delete, clear_selection, select, select_all, selected, turn
from pages.components.documents.facts import counted_in_words, facts, failure, has_pages
from pages.components.documents.notices import attempt, dismiss_notices
from pages.components.documents.upload import configured, parser_name
from pages.components.documents.waiting import paused_buttons, paused_words
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import Html, markdown_of, render
from pages.components.shell.widgets import choice, offset_of_page, search_field

PAGE_SIZE = 20
DAMAGED = "ingest.error.damaged"
"""Failure for which OCR cannot help either."""
INCURABLE = frozenset(
    f"ingest.error.{name}"
    for name in (
        "archive",
        "bomb",
        "empty",
        "mislabelled",
        "not_text",
        "too_large",
        "too_long",
        "too_many_rows",
        "wrong_content",
    )
)
"""Failures for which another file is needed: no parser reads this one."""
CURED_BY_OCR = frozenset(f"ingest.error.{name}" for name in ("scanned", "image", "garbled", "no_text"))
"""Failures of versions without OCR that reading again can cure."""
FILTERED_FROM = 5
"""With fewer documents, search and filter are not shown."""
SORTS = (DocumentOrder.NEWEST, DocumentOrder.NAME, DocumentOrder.LARGEST, DocumentOrder.STATUS)


def document_list(base_id: str, counts: Mapping[DocumentStatus, int], editable: bool) -> None:
    """counts: of the documents by status; editable: whether the reader may delete and read again."""
    done = sum(counts.get(status, 0) for status in SETTLED)
    if not done:
        return
    wanted = _filters(counts) if done >= FILTERED_FROM else DocumentFilter(SETTLED)
    found = _count(base_id, wanted) if wanted.words else sum(counts.get(status, 0) for status in wanted.statuses)
    if not found:
        st.caption(t("documents.list.nothing"))
    if editable:
        _selection(base_id, wanted, found)
    order = DocumentOrder(st.session_state.get("documents-sort", SORTS[0]))
    skip = _skipped(found)
    for document in services().library.documents.find(base_id, wanted, order, PAGE_SIZE, skip) if found else ():
        _row(document, editable, selectable=editable and done > 1)


def _count(base_id: str, wanted: DocumentFilter) -> int:
    return sum(services().library.documents.counts(base_id, wanted).values())


def _filters(counts: Mapping[DocumentStatus, int]) -> DocumentFilter:
    present = [status for status in ATTENTION if counts.get(status)]
    with st.container(horizontal=True, vertical_alignment="center", key="documents-filters"):
        query = search_field(t("documents.list.search"), "documents-query", width=280)
        status = None
        if len(present) > 1:
            status = st.pills(
                t("documents.list.status"),
                present,
                format_func=lambda status: f"{_group_of(status)} :small[:gray[{counts[status]}]]",
                key="documents-status",
                label_visibility="collapsed",
            )
        st.space("stretch")
        choice(t("documents.list.sort"), SORTS, "documents-sort", lambda order: t(f"documents.sort.{order}"), width=150)
    return DocumentFilter((status,) if status else SETTLED, query)


def _group_of(status: DocumentStatus) -> str:
    """A PDF that waits for its password is among those that were not read, and has not failed."""
    return t("documents.list.unread" if status is DocumentStatus.FAILED else f"documents.status.{status}")


def _skipped(found: int) -> int:
    """Number of documents on the preceding list pages."""
    if found <= PAGE_SIZE:
        return 0
    with st.container(horizontal=True, vertical_alignment="center"):
        skipped = offset_of_page(found, PAGE_SIZE, "documents-page")
        st.caption(counted_in_words("documents", found), width="content")
    return skipped


def _selection(base_id: str, wanted: DocumentFilter, found: int) -> None:
    """Draw actions for the selected documents; nothing without a selection."""
    if not selected():
        return
    chosen = [each for each in services().library.documents.some(base_id, selected()) if each.status in SETTLED]
    if not chosen:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="documents-selection"):
        st.markdown(t("documents.select.count", count=f"{len(chosen):,}"), width="content")
        if len(chosen) < found:
            words = t("documents.select.all", count=f"{found:,}")
            st.button(words, type="tertiary", key="select-all", on_click=_select_found, args=(base_id, wanted))
        st.button(t("documents.select.none"), type="tertiary", key="select-none", on_click=clear_selection)
        if st.button(t("documents.delete.selected"), icon=":material/delete:", key="delete-selected"):
            ask_delete(*chosen)


def _select_found(base_id: str, wanted: DocumentFilter) -> None:
    select_all([document.id for document in services().library.documents.find(base_id, wanted)])


def _row(document: Document, editable: bool, selectable: bool) -> None:
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
            if editable and not ready:
                _ways_on(document)
        if editable and st.button(
            "", icon=":material/delete:", type="tertiary", help=t("documents.delete.label"), key=f"delete-{document.id}"
        ):
            ask_delete(document)


def _ways_on(document: Document) -> None:
    """Draw the ways to go on with a document that is not ready."""
    if document.status is DocumentStatus.PAUSED:
        paused_buttons(document)
    elif services().lifecycle.unlocking.waits(document):
        _password_form(document)
    elif document.error_key not in INCURABLE:
        _retry_buttons(document)


def _retry_buttons(document: Document) -> None:
    """Draw buttons that retry with the same parser or another configured one."""
    intake = services().lifecycle.intake
    with st.container(horizontal=True, gap="xsmall"):
        by_ocr = document.error_key in CURED_BY_OCR and services().ingestion.engines.reads_pictures
        st.button(
            t("documents.retry_ocr" if by_ocr else "documents.retry"),
            icon=":material/refresh:",
            key=f"retry-{document.id}",
            on_click=attempt,
            args=(partial(intake.retry, document.id),),
        )
        tried = document.parser_choice or services().settings.parser
        for parser in configured():
            helps = not parsers()[parser].every_page_read or (has_pages(document) and document.error_key != DAMAGED)
            if parser != tried and helps and document.status is DocumentStatus.FAILED:
                st.button(
                    t("documents.again.with_parser", name=parser_name(parser)),
                    key=f"retry-{document.id}-{parser}",
                    on_click=attempt,
                    args=(partial(intake.parse_again, document.id, parser),),
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


def row_html(document: Document) -> Html:
    """Status, facts and the reason of a failure."""
    is_locked = services().lifecycle.unlocking.waits(document)
    chip = {"failed": "is-bad", "cancelled": "is-weak", "paused": "is-weak"}.get(document.status, "is-good")
    words = "documents.password.waits" if is_locked else f"documents.status.{document.status}"
    is_paused = document.status is DocumentStatus.PAUSED
    reason = failure(document) if document.status is DocumentStatus.FAILED else ""
    if is_paused:
        reason = paused_words(document)
    elif is_locked:
        reason = t("documents.password.needed")
    return render(
        "documents/document.html",
        "row",
        status=t(words),
        looks="is-weak" if is_locked else chip,
        words=facts(document),
        reason=reason,
        waits=is_paused or is_locked,
    )


def _open(document_id: str) -> None:
    st.query_params[DOCUMENT] = document_id


def _password_form(document: Document) -> None:
    with (
        st.form(f"password-{document.id}", border=False, clear_on_submit=True, width=280),
        st.container(horizontal=True, vertical_alignment="bottom", wrap=False),
    ):
        password = st.text_input(
            t("documents.password.label"),
            type="password",
            autocomplete="off",
            help=t("documents.password.explain"),
            key=f"password-typed-{document.id}",
        )
        sent = st.form_submit_button(t("documents.password.open"), type="primary")
    if not sent:
        return
    dismiss_notices()
    attempt(partial(services().lifecycle.unlocking.open_document, document.id, password))
    st.rerun()
