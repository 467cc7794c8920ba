"""The list of runs in pages, what is marked in it, and what is said where there is nothing."""

import streamlit as st

from core.runs.model import RunPurpose
from core.runs.run_lists import RunFilter
from pages.components.run.live_html import live_html
from pages.components.run.run_views import price_table
from pages.components.runs.filters import clear_filters
from pages.components.runs.list_html import lines_html
from pages.components.runs.state import clear_marks, marked, open_run, toggle_mark
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import html_of

PAGE_SIZE = 30


def run_list(wanted: RunFilter, count: int) -> None:
    """count: how many runs the filter leaves."""
    if not count:
        _nothing(wanted)
        return
    _marked_bar()
    offset = _offset(count)
    lines = services().storage.records.run_lists.find(wanted, PAGE_SIZE, offset)
    st.caption(t("runs.count", first=offset + 1, last=offset + len(lines), count=f"{count:,}"))
    clicked = live_html("runs-list", "runs", (("lines", lines_html(lines, marked(), price_table())),))
    known = {line.id for line in lines}
    if clicked and clicked.value in known:
        open_run(clicked.value) if clicked.event == "open" else toggle_mark(clicked.value)
        st.rerun()


def _marked_bar() -> None:
    ids = marked()
    if not ids:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="runs-marked-bar"):
        st.caption(t("runs.compare.marked", count=len(ids)), width="content")
        if len(ids) == 2:
            st.button(
                t("runs.compare.do"), icon=":material/compare_arrows:", type="primary", on_click=open_run, args=ids
            )
        st.button(t("runs.compare.clear"), type="tertiary", on_click=clear_marks)


def _offset(count: int) -> int:
    pages = -(-count // PAGE_SIZE)
    number = st.pagination(pages, key=f"runs-page-{pages}") if pages > 1 else 1
    return (number - 1) * PAGE_SIZE


def _nothing(wanted: RunFilter) -> None:
    if wanted != RunFilter(purpose=RunPurpose.CHAT):
        st.caption(t("runs.none.found"))
        st.button(t("runs.none.clear"), on_click=clear_filters)
        return
    st.html(
        '<div class="gt-empty"><span class="gt-symbol" aria-hidden="true">footprint</span>'
        f'<h2 class="gt-welcome">{html_of(t("runs.none.title"))}</h2>'
        f'<p class="gt-lead">{html_of(t("runs.none.text"))}</p></div>'
    )
    with st.container(horizontal_alignment="center"):
        st.page_link("pages/chat.py", label=t("runs.none.ask"), icon=":material/forum:", width="content")
