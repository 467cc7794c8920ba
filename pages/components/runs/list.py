"""The list of runs in pages: one line a run, those marked for comparison, and what to do where there are none."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.runs.history.prices import Price
from core.runs.model import RunPurpose
from core.runs.run_lists import PROBABLE, RunFilter, RunLine
from pages.components.chat.workflow_choices import title_of
from pages.components.run.live_html import live_html
from pages.components.run.run_html import ending_looks
from pages.components.run.run_views import price_table
from pages.components.run.run_words import ending_words, engine_words
from pages.components.run.step_numbers import cost_words, tokens_of
from pages.components.runs.filters import clear_filters
from pages.components.runs.state import clear_marks, marked, open_run, toggle_mark
from pages.components.shell.language import t
from pages.components.shell.lists import offset_of_page
from pages.components.shell.services import services
from pages.components.shell.text import Html, clean, render
from pages.components.shell.times import ago, duration

PAGE_SIZE = 30
MAX_QUESTION = 240


def run_list(wanted: RunFilter, count: int, counted: DeltaGenerator) -> None:
    """Draw a page of the list. count: number of runs that match the filter; counted: where it is told."""
    if not count:
        _nothing(wanted)
        return
    _marked_bar()
    offset = offset_of_page(count, PAGE_SIZE, "runs-page")
    lines = services().storage.records.run_lists.find(wanted, PAGE_SIZE, offset)
    listed = t("runs.count", first=offset + 1, last=offset + len(lines), count=f"{count:,}")
    counted.caption(" · ".join([listed, *_hidden(wanted, count)]))
    clicked = live_html("runs-list", "runs", (("lines", lines_html(lines, marked(), price_table())),))
    known = {line.id for line in lines}
    if clicked and clicked.value in known:
        open_run(clicked.value) if clicked.event == "open" else toggle_mark(clicked.value)
        st.rerun()


def _hidden(wanted: RunFilter, count: int) -> list[str]:
    """How many more there are without the filter that is set from the beginning."""
    if not wanted.purpose:
        return []
    others = services().storage.records.run_lists.count(replace(wanted, purpose=None)) - count
    return [t("runs.count_hidden", count=others)] if others else []


def lines_html(lines: Sequence[RunLine], marked: Collection[str], prices: Sequence[Price]) -> Html:
    """A button of each line opens its run, another marks it."""
    drawn = [
        {
            "id": line.id,
            "question": clean(" ".join(line.question.split()), MAX_QUESTION),
            "looks": ending_looks(_ending(line)),
            "ending": ending_words(_ending(line)),
            "is_degraded": line.degraded,
            "is_marked": line.id in marked,
            "mark": t("runs.compare.mark", question=line.question[:60]),
            "facts": _facts(line, prices),
        }
        for line in lines
    ]
    return render("runs/runs.html", "list", lines=drawn)


def _ending(line: RunLine) -> str:
    return PROBABLE if line.is_probable else line.ending


def _facts(line: RunLine, prices: Sequence[Price]) -> list[str]:
    facts = [title_of(line.workflow), engine_words(line.engine), ago(line.started_at)]
    if line.seconds:
        facts.append(duration(line.seconds))
    if tokens := tokens_of(line.usage):
        facts.append(t("chat.run.tokens", count=tokens))
    return [*facts, *cost_words(line.usage, line.engine, prices)]


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


def _nothing(wanted: RunFilter) -> None:
    if wanted != RunFilter(purpose=RunPurpose.CHAT):
        st.caption(t("runs.none.found"))
        st.button(t("runs.none.clear"), on_click=clear_filters)
        return
    st.html(render("parts.html", "empty", icon="footprint", title=t("runs.none.title"), text=t("runs.none.text")))
    with st.container(horizontal_alignment="center"):
        st.page_link("pages/chat.py", label=t("runs.none.ask"), icon=":material/forum:", width="content")
