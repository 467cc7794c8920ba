"""Communities of the drawing or of the whole graph: colours, most central entities, summaries.

A summary is made of sentences of the documents, or a text that a model writes of them.
"""

from collections.abc import Sequence

import streamlit as st

from core.graph.layout.full_layout import whole_communities
from core.graph.model import CommunitySentence, Entity, WholeGraph
from core.graph.network.communities import communities
from core.graph.network.community_summary import SummariseCommunityRequest
from core.graph.scope import Shown
from core.models.ports import BUILT_IN
from pages.components.chat.scope import ChatScope
from pages.components.chat.state import choose
from pages.components.documents.facts import place_words
from pages.components.documents.quote import quote_html
from pages.components.graph.seen import is_past, seen
from pages.components.graph.state import GraphState, select, unfold, walk_to
from pages.components.graph.types import entity_chips
from pages.components.shell.language import joined, language, t
from pages.components.shell.services import services
from pages.components.shell.text import NO_HTML, Html, label, render

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
CHIPS, CHIPS_OF_WHOLE = 8, 6
"""Number of entities shown of a community."""
QUOTED = 2
"""Number of sentences shown of a community; a model gets all of them."""
WITHIN = 40
"""Number of a community's most central entities to which a question about it is limited."""
NAMES = 12
"""Number of entities passed to a model."""
TOLD = 12
"""Number of the largest communities for which sentences are looked up; of the whole graph, all that are listed."""


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
        _heading(number, members)
        if number < TOLD:
            _summary(state, members, f"community-{number}")
        entity_chips(members[:CHIPS], f"community-{number}", walk_to)


def whole_communities_panel(base_id: str, state: GraphState) -> None:
    found = members_of(seen().whole_graphs.whole(base_id))
    st.markdown(f"**{t('graph.communities.title')}**")
    st.caption(t("graph.communities.whole", count=len(found)))
    for number, members in enumerate(found[:TOLD]):
        _heading(number, members)
        _summary(state, members, f"group-{number}")
        entity_chips(members[:CHIPS_OF_WHOLE], f"group-{number}", select)
        with st.container(horizontal=True, gap="small", key=f"graph-group-{number}"):
            if state.folded:
                _unfold_button(number, members[0].id)
            _ask_within_button(base_id, members, number)
    if len(found) > TOLD:
        st.caption(t("graph.communities.more", count=len(found) - TOLD))


def members_of(whole: WholeGraph) -> list[list[Entity]]:
    """Members of the communities, the largest first; in each the most central entity first."""
    groups: dict[int, list[int]] = {}
    for place, number in enumerate(whole_communities(whole)):
        if number >= 0:
            groups.setdefault(number, []).append(place)
    return [
        [whole.entities[place] for place in sorted(groups[number], key=lambda place: -whole.centrality[place])]
        for number in sorted(groups)
    ]


def _heading(number: int, members: Sequence[Entity]) -> None:
    """Draw the colour, the most central entities and the size of a community."""
    colour = COLOURS[number] if number < len(COLOURS) else "var(--gt-soft)"
    name = joined(label(entity.name, 40) for entity in members[:NAMED])
    st.html(render("graph/graph.html", "community", colour=colour, name=name, count=f"{len(members):,}"))


def _unfold_button(number: int, entity_id: str) -> None:
    words, icon = t("graph.communities.unfold"), ":material/unfold_more:"
    st.button(words, icon=icon, type="tertiary", key=f"unfold-{number}", on_click=unfold, args=(entity_id,))


def _ask_within_button(base_id: str, members: Sequence[Entity], number: int) -> None:
    """Draw a button for a question about passages that mention one of the entities."""
    help = t("graph.ask.within_help", count=min(WITHIN, len(members)))
    if st.button(t("graph.ask.within"), icon=":material/forum:", type="tertiary", key=f"within-{number}", help=help):
        choose(scope=ChatScope(base_id, entities=tuple(entity.id for entity in members[:WITHIN])))
        st.session_state["ask"] = t(
            "graph.ask.within_question", one=label(members[0].name), other=label(members[1].name)
        )
        st.switch_page("pages/chat.py")


def _summary(state: GraphState, members: Sequence[Entity], key: str) -> None:
    """Draw the summary of a community; nothing if no sentence names two members. members: the most central first."""
    told = seen().communities.describe(state.base_id, members)
    if not told:
        return
    written = "" if is_past() or services().llm.engine == BUILT_IN else _by_model(members, told, key)
    if written:
        place = t("graph.communities.by_model", engine=label(services().llm.engine, 60))
        st.html(render("graph/graph.html", "sentence", words=written, place=place))
        return
    st.html(NO_HTML.join(map(_sentence, told[:QUOTED])))


def _sentence(told: CommunitySentence) -> Html:
    place = place_words(label(told.document_name, 40), told.page)
    return render("graph/graph.html", "sentence", words=quote_html(told.sentence, told.names), place=place)


def _by_model(members: Sequence[Entity], told: Sequence[CommunitySentence], key: str) -> str:
    """Text of the model about these sentences; drawn with a button first, because a call may cost money."""
    summaries = services().answering.community_summaries
    names = tuple(entity.name for entity in members[:NAMES])
    request = SummariseCommunityRequest(language(), names, tuple(each.sentence for each in told))
    if kept := summaries.kept(request):
        return kept
    if not st.button(t("graph.communities.summarise"), icon=":material/notes:", type="tertiary", key=f"summary-{key}"):
        return ""
    with st.spinner(t("graph.communities.summarising")):
        written = summaries.write(request, services().answering.summary_meter())
    if not written:
        st.warning(t("graph.communities.no_summary"), icon=":material/error:")
    return written
