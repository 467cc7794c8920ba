"""Downloads of runs: the list as CSV or JSON, one run with everything that was recorded."""

import streamlit as st

from core.platform.plain_text import BYTE_ORDER_MARK
from core.runs.history.export import run_with_events, runs_csv, runs_json
from core.runs.ports import RunLog
from core.runs.run_lists import RunFilter
from pages.components.run.run_views import price_table
from pages.components.shell.downloads import download_button
from pages.components.shell.language import t
from pages.components.shell.services import services


def run_json(log: RunLog, run_id: str) -> str:
    return run_with_events(log.get(run_id), (event for _, event in log.events(run_id, 0)))


def export_menu(wanted: RunFilter, count: int) -> None:
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
