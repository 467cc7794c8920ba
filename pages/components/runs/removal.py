"""Deletes runs by age, after showing their number."""

from dataclasses import replace
from datetime import timedelta

import streamlit as st

from core.platform.clock import utc_now
from core.runs.run_lists import RunFilter
from pages.components.shell.dialogs import decided
from pages.components.shell.language import t
from pages.components.shell.services import services

AGES = (365, 180, 90, 30, 7, 1, 0)
"""Ages in days; 0 for every run."""
_DONE = "runs-removed"


def removal_button(wanted: RunFilter) -> None:
    if st.button(t("runs.remove.label"), icon=":material/delete_sweep:", key="runs-remove"):
        _ask(wanted)


def removed_note() -> None:
    """Show the result of the last deletion, once."""
    if done := st.session_state.pop(_DONE, None):
        st.success(t("runs.remove.done", runs=f"{done.runs:,}", threads=f"{done.threads:,}"), icon=":material/delete:")


def _ask(wanted: RunFilter) -> None:
    """Open the dialog. wanted: filter of the list, to which the deletion may be limited."""

    @st.dialog(t("runs.remove.title"))
    def dialog() -> None:
        days = st.selectbox(t("runs.remove.age"), AGES, index=2, format_func=_age, key="runs-remove-age")
        confined = st.checkbox(t("runs.remove.confined"), value=True, key="runs-remove-confined")
        count = services().storage.records.run_lists.count(_rule(wanted, days, confined))
        st.markdown(t("runs.remove.count", count=f"{count:,}") if count else t("runs.remove.none"))
        if count:
            st.caption(t("runs.remove.consequence"))
        words = t("runs.remove.do"), t("runs.remove.keep")
        if decided(*words, "runs-remove", disabled=not count, on_click=_remove, args=(wanted,)):
            st.rerun()

    dialog()


def _remove(wanted: RunFilter) -> None:
    """By the choices as they are now, which the dialog may not have been drawn with yet."""
    rule = _rule(wanted, st.session_state["runs-remove-age"], st.session_state["runs-remove-confined"])
    st.session_state[_DONE] = services().storage.records.run_lists.remove(rule)


def _rule(wanted: RunFilter, days: int, confined: bool) -> RunFilter:
    return replace(wanted if confined else RunFilter(), before=utc_now() - timedelta(days=days))


def _age(days: int) -> str:
    return t("runs.remove.older", count=days) if days else t("runs.remove.every")
