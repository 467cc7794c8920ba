"""Communities of the drawing: their colours, and their names, which are those of their most central entities."""

from collections.abc import Sequence

import streamlit as st

from core.graph.model import Entity
from core.graph.network.communities import communities
from core.graph.scope import Shown
from pages.components.graph.state import GraphState, walk_to
from pages.components.graph.summaries import community_summary
from pages.components.graph.types import entity_label
from pages.components.shell.language import joined, t
from pages.components.shell.text import label, render

COLOURS = (
    "#0069a5",
    "#f05a00",
    "#3ca500",
    "#c369e1",
    "#875a2d",
    "#c31e4b",
    "#2d96f0",
    "#00782d",
    "#b47887",
    "#784bd2",
    "#a58700",
    "#4b9687",
)
"""Colours of the largest communities, in the drawings too; further ones are grey.

Each at least 0.14 from the others in OKLab, and 3:1 against the backgrounds of both themes.
"""
NAMED = 2
LISTED = 8
TOLD = 12
"""Number of the largest communities for which sentences are looked up."""


def communities_of(shown: Shown) -> list[list[Entity]]:
    """Communities, the largest first; in each the most central entity first."""
    known = {entity.id: entity for entity in shown.view.entities}
    edges = tuple((each.source_id, each.target_id, max(each.weight, 0.0)) for each in shown.view.relations)
    return [[known[id] for id in members] for members in communities(tuple(known), edges)]


def groups_of(shown: Shown) -> list[int]:
    """Number of the community of every entity; -1 for none."""
    found = {entity.id: number for number, members in enumerate(communities_of(shown)) for entity in members}
    return [found.get(entity.id, -1) for entity in shown.view.entities]


def community_panel(state: GraphState, shown: Shown) -> None:
    st.markdown(f"**{t('graph.communities.title')}**")
    st.caption(t("graph.communities.explain"))
    for number, members in enumerate(communities_of(shown)):
        community_heading(number, members)
        if number < TOLD:
            community_summary(state, members, f"community-{number}")
        with st.container(horizontal=True, gap="xxsmall", key=f"graph-chips-community-{number}"):
            for entity in members[:LISTED]:
                key = f"community-{number}-{entity.id}"
                st.button(entity_label(entity), key=key, on_click=walk_to, args=(entity.id,))


def community_heading(number: int, members: Sequence[Entity]) -> None:
    """Draw the colour, the most central entities and the size of a community."""
    colour = COLOURS[number] if number < len(COLOURS) else "var(--gt-soft)"
    name = joined(label(entity.name, 40) for entity in members[:NAMED])
    st.html(render("graph/graph.html", "community", colour=colour, name=name, count=f"{len(members):,}"))
