"""The list of runs: filters, pages, those marked for comparison or deleted by age, what to do where there are none."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from datetime import timedelta

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.platform.clock import utc_now
from core.runs.history.prices import Price
from core.runs.model import AnswerOutcome, RunPurpose, RunStatus, Verdict
from core.runs.run_lists import PROBABLE, RunFilter, RunLine
from pages.components.chat.workflow_choices import title_of, workflow_names
from pages.components.run.live_html import live_html
from pages.components.run.run_html import ending_looks
from pages.components.run.run_views import price_table
from pages.components.run.run_words import ending_words, engine_words
from pages.components.run.step_html import cost_words, tokens_of
from pages.components.runs.opened import clear_marks, marked, open_run, toggle_mark
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import Html, clean, label, render
from pages.components.shell.times import ago, duration
from pages.components.shell.widgets import choice, decided, offset_of_page, search_field

PAGE_SIZE = 30
MAX_QUESTION = 240
DAYS = {"day": 1, "week": 7, "month": 30, "quarter": 90}
DEGRADED = "degraded"
_WITH_PROBABLE = {AnswerOutcome.ANSWERED: (AnswerOutcome.ANSWERED.value, PROBABLE)}
ENDINGS = (
    "",
    *(value for outcome in AnswerOutcome for value in _WITH_PROBABLE.get(outcome, (outcome.value,))),
    *(status.value for status in RunStatus if status is not RunStatus.DONE),
    DEGRADED,
    *(verdict.value for verdict in Verdict),
)
_KEYS = ("runs-query", "runs-workflow", "runs-ending", "runs-engine", "runs-time", "runs-purpose", "runs-base")
AGES = (365, 180, 90, 30, 7, 1, 0)
"""Ages in days; 0 for every run."""
_REMOVED = "runs-removed"


def filter_bar() -> RunFilter:
    with st.container(horizontal=True, vertical_alignment="center", key="runs-bar"):
        query = search_field(t("runs.search"), "runs-query", width=216)
        workflow = _choice("workflow", ("", *workflow_names()), title_of)
        ending = _choice("ending", ENDINGS, _ending_words)
        time = _choice("time", ("", *DAYS), lambda name: t(f"runs.time.{name}"))
        with st.popover(t("runs.more_filters"), icon=":material/filter_list:"):
            engines = services().storage.records.run_lists.engines()
            engine = _choice("engine", ("", *engines), lambda name: engine_words(label(name)))
            purpose = _choice("purpose", (*RunPurpose, ""), lambda name: t(f"runs.purpose.{name}"))
            base = _base_choice()
    return RunFilter(
        question=query,
        workflow=workflow,
        engine=engine,
        base_id=base,
        ending="" if ending == DEGRADED or ending in set(Verdict) else ending,
        verdict=ending if ending in set(Verdict) else "",
        degraded=ending == DEGRADED,
        purpose=RunPurpose(purpose) if purpose else None,
        since=(utc_now() - timedelta(days=DAYS[time])).replace(second=0, microsecond=0) if time else None,
    )


def _base_choice() -> str:
    """Draw the choice of a knowledge base; empty if there is only one."""
    names = {base.id: label(base.name, 40) for base in services().library.bases.all()}
    return _choice("base", ("", *names), lambda id: names.get(id, "")) if len(names) > 1 else ""


def clear_filters() -> None:
    for key in _KEYS:
        if key in st.session_state:
            # Assigned, because a browser keeps what is only forgotten here.
            st.session_state[key] = RunPurpose.CHAT if key == "runs-purpose" else ""


def _ending_words(ending: str) -> str:
    if ending in set(Verdict):
        return t(f"chat.feedback.{ending}")
    return t("runs.ending.degraded") if ending == DEGRADED else ending_words(ending)


def _choice(name: str, options: Sequence[str], words: Callable[[str], str]) -> str:
    def named(value: str) -> str:
        return words(value) if value else t(f"runs.{name}.all")

    return choice(t(f"runs.{name}.label"), options, f"runs-{name}", named, width=144) or ""


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


def removal_button(wanted: RunFilter) -> None:
    if st.button(t("runs.remove.label"), icon=":material/delete_sweep:", key="runs-remove"):
        st.dialog(t("runs.remove.title"))(_ask)(wanted)


def removed_note() -> None:
    """Show the result of the last deletion, once."""
    if done := st.session_state.pop(_REMOVED, None):
        st.success(t("runs.remove.done", runs=f"{done.runs:,}", threads=f"{done.threads:,}"), icon=":material/delete:")


def _ask(wanted: RunFilter) -> None:
    """Draw the dialog. wanted: filter of the list, to which the deletion may be limited."""
    days = st.selectbox(t("runs.remove.age"), AGES, index=2, format_func=_age, key="runs-remove-age")
    confined = st.checkbox(t("runs.remove.confined"), value=True, key="runs-remove-confined")
    count = services().storage.records.run_lists.count(_rule(wanted, days, confined))
    st.markdown(t("runs.remove.count", count=f"{count:,}") if count else t("runs.remove.none"))
    if count:
        st.caption(t("runs.remove.consequence"))
    words = t("runs.remove.do"), t("runs.remove.keep")
    if decided(*words, "runs-remove", disabled=not count, on_click=_remove, args=(wanted,)):
        st.rerun()


def _remove(wanted: RunFilter) -> None:
    """By the choices as they are now, which the dialog may not have been drawn with yet."""
    rule = _rule(wanted, st.session_state["runs-remove-age"], st.session_state["runs-remove-confined"])
    st.session_state[_REMOVED] = services().storage.records.run_lists.remove(rule)


def _rule(wanted: RunFilter, days: int, confined: bool) -> RunFilter:
    return replace(wanted if confined else RunFilter(), before=utc_now() - timedelta(days=days))


def _age(days: int) -> str:
    return t("runs.remove.older", count=days) if days else t("runs.remove.every")
