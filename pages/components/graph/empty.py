"""The Graph page without a graph: explanation, and two ways to get one."""

import streamlit as st

from core.documents.model import ACTIVE, DocumentFilter
from pages.components.documents.bases import sample_button
from pages.components.shell.language import t
from pages.components.shell.role import may_edit, say_read_only
from pages.components.shell.services import services


def no_base() -> None:
    st.title(t("graph.title"), anchor=False)
    st.space("xsmall")
    _teach(t("graph.empty.no_base_title"))


def empty_graph(base_id: str) -> None:
    """Explain that there is no graph; while documents are being read, say so and refresh."""
    if services().library.documents.find(base_id, DocumentFilter(ACTIVE), limit=1):
        _wait(base_id)
    else:
        _teach(t("graph.empty.title"), may_edit(base_id))


@st.fragment(run_every=1.5)
def _wait(base_id: str) -> None:
    if services().graph.stats(base_id).entities:
        st.rerun()
    st.info(t("graph.empty.working"), icon=":material/hourglass_top:")


def _teach(title: str, editable: bool = True) -> None:
    with st.container(border=True, key="graph-empty"):
        st.header(title, anchor=False)
        st.write(t("graph.empty.explain"))
        if not editable:
            say_read_only()
            return
        with st.container(horizontal=True):
            if st.button(t("graph.empty.add"), icon=":material/upload_file:", type="primary"):
                st.switch_page("pages/documents.py")
            sample_button()


def nothing_then() -> None:
    """Explain that the graph is empty on a day before the first document."""
    st.info(t("graph.past.nothing"), icon=":material/event_busy:")
