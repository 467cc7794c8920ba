"""Re-reading a document with another parser: progress, comparison with the old reading, decision."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.documents.model import Block, Chunk, Document
from core.documents.ports.publishing import Publication
from core.platform.settings.parsers import parsers
from pages.components.documents.chunks import KINDS, is_of
from pages.components.documents.facts import failure, reader_name
from pages.components.documents.notices import attempt
from pages.components.documents.page import blocks_html
from pages.components.documents.parser import configured, parser_name
from pages.components.documents.progress import REFRESH_SECONDS, work_html
from pages.components.documents.waiting import paused_buttons, paused_words
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import Html, html_of, markdown_of, render
from pages.components.shell.widgets import refresh_page

Counts = tuple[str, int, int, int, int]
ROWS = ("parser", "pages", "blocks", "chunks", "entities")


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
            _button("let_go", document, "secondary")


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
        _button("new", document, "primary")
        _button("old", document, "secondary")


def comparison_html(document: Document, blocks: Sequence[Block], chunks: Sequence[Chunk], before: Publication) -> Html:
    """A table of counts, the old reading first; what the reader changed is counted where there is any."""
    named = len({mention.entity_id for mention in before.mentions})
    old: Counts = (before.parser, before.pages, len(before.blocks), len(before.chunks), named)
    new: Counts = (document.parser, document.pages, len(blocks), document.chunks, document.entities)
    rows = list(zip(ROWS, _cells(old), _cells(new), strict=True))
    for kind in KINDS:
        was, now = (sum(is_of(kind, chunk) for chunk in reading) for reading in (before.chunks, chunks))
        rows += [(kind, f"{was:,}", f"{now:,}")] if was or now else []
    return render("documents/document.html", "readings", rows=rows)


def _cells(counts: Counts) -> list[str]:
    parser, *numbers = counts
    return [reader_name(parser), *(f"{number:,}" for number in numbers)]


def _page_html(blocks: Sequence[Block], page: int) -> Html:
    own = [block for block in blocks if block.page == page]
    return blocks_html(own) if own else html_of(t("documents.page.nothing"))


def _button(answer: str, document: Document, kind: str) -> None:
    reparse = services().lifecycle.reparse
    act = reparse.keep_new if answer == "new" else reparse.keep_old
    st.button(
        t(f"documents.again.keep_{answer}"),
        type=kind,  # type: ignore[arg-type]  # a literal each
        key=f"again-keep-{answer}",
        on_click=attempt,
        args=(lambda: act(document.id),),
    )
