"""The wait for the first layout of a whole graph: it is made in the background, and the page says how far it is."""

import streamlit as st

from pages.components.graph.seen import seen
from pages.components.shell.language import t

PATIENCE = 0.4
"""Seconds after which the page shows progress instead of waiting."""
LOOKS = 0.5
"""Seconds between two looks at it."""
_WAITED = "graph-layout-waited"


def is_laid_out(base_id: str) -> bool:
    """Starts the layout and shows its progress if it is not there yet; the page is drawn again when it is.

    A layout that the graph has outrun meanwhile is waited for: it takes the places of the one before.
    """
    whole_graphs = seen().whole_graphs
    if st.session_state.pop(_WAITED, "") == base_id or whole_graphs.prepare(base_id, PATIENCE):
        return True
    _progress(base_id)
    return False


@st.fragment(run_every=LOOKS)
def _progress(base_id: str) -> None:
    done = seen().whole_graphs.progress(base_id)
    if done >= 1:
        st.session_state[_WAITED] = base_id
        st.rerun()
    st.progress(done, t("graph.whole.making"))
