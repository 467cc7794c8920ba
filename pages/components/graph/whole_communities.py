"""The communities of the whole graph: their names, what they consist of, and what can be done with one."""

import streamlit as st

from core.graph.layout.full_layout import whole_communities
from core.graph.model import Entity, WholeGraph
from pages.components.graph.ask import ask_within_button
from pages.components.graph.communities import community_heading
from pages.components.graph.seen import seen
from pages.components.graph.state import GraphState, select, unfold
from pages.components.graph.summaries import community_summary
from pages.components.graph.types import entity_label
from pages.components.shell.language import t

LISTED = 12
MEMBERS = 6


def whole_communities_panel(base_id: str, state: GraphState) -> None:
    whole = seen().whole_graphs.whole(base_id)
    found = members_of(whole)
    st.markdown(f"**{t('graph.communities.title')}**")
    st.caption(t("graph.communities.whole", count=len(found)))
    for number, members in enumerate(found[:LISTED]):
        community_heading(number, members)
        community_summary(state, members, f"group-{number}")
        with st.container(horizontal=True, gap="xxsmall", key=f"graph-chips-group-{number}"):
            for entity in members[:MEMBERS]:
                st.button(entity_label(entity), key=f"group-{number}-{entity.id}", on_click=select, args=(entity.id,))
        with st.container(horizontal=True, gap="small", key=f"graph-group-{number}"):
            if state.folded:
                st.button(
                    t("graph.communities.unfold"),
                    icon=":material/unfold_more:",
                    type="tertiary",
                    key=f"unfold-{number}",
                    on_click=unfold,
                    args=(members[0].id,),
                )
            ask_within_button(base_id, members, number)
    if len(found) > LISTED:
        st.caption(t("graph.communities.more", count=len(found) - LISTED))


def members_of(whole: WholeGraph) -> list[list[Entity]]:
    """The largest first, in each the most central entity first."""
    groups: dict[int, list[int]] = {}
    for place, number in enumerate(whole_communities(whole)):
        if number >= 0:
            groups.setdefault(number, []).append(place)
    return [
        [whole.entities[place] for place in sorted(groups[number], key=lambda place: -whole.centrality[place])]
        for number in sorted(groups)
    ]
