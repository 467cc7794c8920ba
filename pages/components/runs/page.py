"""Layout of the Runs page: two runs compared, one opened, or the list with its figures."""

from collections.abc import Callable

import streamlit as st

from core.platform.errors import NotFoundError
from core.platform.plain_text import BYTE_ORDER_MARK
from core.runs.history.export import runs_csv, runs_json
from core.runs.model import Run
from core.runs.run_lists import RunFilter
from pages.components.run.run_views import price_table
from pages.components.runs.arena import draw_arena
from pages.components.runs.evaluation import draw_evaluations
from pages.components.runs.figures import charts, figures_to_draw
from pages.components.runs.list import filter_bar, removal_button, removed_note, run_list
from pages.components.runs.opened import close_run, draw_comparison, draw_run, opened_runs
from pages.components.shell.downloads import download_button
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.style import add_style
from pages.components.shell.widgets import one_of

VIEW = "view"


def draw_runs() -> None:
    add_style("runs.css")
    opened = _opened()
    if len(opened) == 2:
        draw_comparison(*opened)
    elif opened:
        draw_run(opened[0])
    else:
        _VIEWS[_view()]()


def _opened() -> list[Run]:
    """Runs in the address; none if one of them was deleted."""
    try:
        return [services().runs.get(run_id) for run_id in opened_runs()]
    except NotFoundError:
        close_run()
        st.info(t("error.run_missing"))
        return []


def _draw_list() -> None:
    wanted = filter_bar()
    removed_note()
    count = services().storage.records.run_lists.count(wanted)
    figures = figures_to_draw(wanted)
    with st.container(horizontal=True, vertical_alignment="center", key="runs-tools"):
        charted = figures and st.toggle(t("runs.chart.show"), value=True, key="runs-charts")
        counted = st.container(width="content")
        st.space("stretch")
        _export_menu(wanted, count)
        removal_button(wanted)
    if figures and charted:
        charts(figures)
    run_list(wanted, count, counted)


def _export_menu(wanted: RunFilter, count: int) -> None:
    """Draw the menu; the files are made on click."""
    lists, prices = services().storage.records.run_lists, price_table()
    with st.popover(t("runs.export.label"), icon=":material/download:", disabled=not count, key="runs-export"):
        st.caption(t("runs.export.what", count=f"{count:,}"))
        for words, media_type, make in (
            # the mark lets spreadsheets read it as UTF-8
            ("CSV", "text/csv", lambda: BYTE_ORDER_MARK + runs_csv(lists.lines(wanted), prices)),
            ("JSON", "application/json", lambda: runs_json(lists.lines(wanted), prices)),
        ):
            ending = words.lower()
            download_button(words, f"runs.{ending}", media_type, make, "runs.exported", key=f"runs-{ending}")


def _view() -> str:
    """View in the address, which a click changes."""
    names = list(_VIEWS)
    named = st.query_params.get(VIEW, "")
    default = named if named in names else names[0]
    words = t("runs.view.label")
    chosen = one_of(words, names, lambda name: t(f"runs.view.{name}"), default=default, key="runs-view")
    if chosen == names[0]:
        st.query_params.pop(VIEW, None)
    else:
        st.query_params[VIEW] = chosen
    return chosen


_VIEWS: dict[str, Callable[[], None]] = {
    "list": _draw_list,
    "evaluation": draw_evaluations,
    "arena": draw_arena,
}
