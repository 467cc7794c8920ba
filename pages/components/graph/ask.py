"""Buttons of the graph that ask a question in the chat."""

from collections.abc import Sequence

import streamlit as st

from core.graph.model import Entity
from pages.components.chat.scope import ChatScope
from pages.components.chat.state import choose
from pages.components.shell.language import t
from pages.components.shell.text import label

WITHIN = 40
"""Number of a community's most central entities to which a question about it is limited."""


def ask_within_button(base_id: str, members: Sequence[Entity], number: int) -> None:
    """Draw a button for a question about passages that mention one of the entities."""
    help = t("graph.ask.within_help", count=min(WITHIN, len(members)))
    if st.button(t("graph.ask.within"), icon=":material/forum:", type="tertiary", key=f"within-{number}", help=help):
        choose(scope=ChatScope(base_id, entities=tuple(entity.id for entity in members[:WITHIN])))
        st.session_state["ask"] = t(
            "graph.ask.within_question", one=label(members[0].name), other=label(members[1].name)
        )
        st.switch_page("pages/chat.py")


def ask_button(entities: Sequence[Entity]) -> None:
    """Draw a button for a question about one entity, or about the connection of two."""
    several = len(entities) > 1
    words = t("graph.ask.connection") if several else t("graph.panel.ask")
    if st.button(words, icon=":material/forum:", type="secondary" if several else "primary", key="graph-ask"):
        names = [label(entity.name) for entity in entities]
        question = t("graph.ask.how", one=names[0], other=names[1]) if several else None
        st.session_state["ask"] = question or t("graph.panel.question", name=names[0])
        st.switch_page("pages/chat.py")
