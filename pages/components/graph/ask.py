"""Questions that the graph takes to the chat."""

from collections.abc import Sequence

import streamlit as st

from core.domain.knowledge import Entity
from pages.components.shell.language import t
from pages.components.shell.text import label


def ask_button(entities: Sequence[Entity]) -> None:
    """About one entity, or how the first and the second are connected."""
    several = len(entities) > 1
    words = t("graph.ask.connection") if several else t("graph.panel.ask")
    if st.button(words, icon=":material/forum:", type="secondary" if several else "primary", key="graph-ask"):
        names = [label(entity.name) for entity in entities]
        question = t("graph.ask.how", one=names[0], other=names[1]) if several else None
        st.session_state["ask"] = question or t("graph.panel.question", name=names[0])
        st.switch_page("pages/chat.py")
