"""Two runs side by side."""

import streamlit as st

from core.runs.history.compare import compare
from core.runs.model import Run
from pages.components.run.live_html import live_html
from pages.components.run.run_views import price_table, view_of
from pages.components.runs.compare_html import comparison_parts
from pages.components.runs.state import close_run, open_run
from pages.components.shell.language import t


def draw_comparison(left: Run, right: Run) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="runs-opened-bar"):
        st.button(t("runs.back"), icon=":material/arrow_back:", on_click=close_run, key="runs-back")
        for number, run in enumerate((left, right), start=1):
            st.button(
                t(f"runs.compare.open_{number}"),
                type="tertiary",
                icon=":material/footprint:",
                key=f"runs-open-{number}",
                on_click=open_run,
                args=(run.id,),
            )
        st.button(t("runs.compare.swap"), icon=":material/swap_horiz:", on_click=open_run, args=(right.id, left.id))
    views = view_of(left), view_of(right)
    parts = comparison_parts(((left, views[0]), (right, views[1])), compare(*views), price_table())
    live_html(f"compare-{left.id}-{right.id}", "compare", parts)
