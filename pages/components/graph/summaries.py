"""Summaries of communities: sentences of the documents, or a text that a model writes of them."""

from collections.abc import Sequence

import streamlit as st

from core.graph.model import CommunitySentence, Entity
from core.graph.network.community_summary import SummariseCommunityRequest
from core.models.ports import BUILT_IN
from pages.components.documents.facts import place_words
from pages.components.documents.quote import quote_html
from pages.components.graph.seen import is_past, seen
from pages.components.graph.state import GraphState
from pages.components.shell.language import language, t
from pages.components.shell.services import services
from pages.components.shell.text import NO_HTML, Html, label, render

QUOTED = 2
"""Number of sentences shown of a community; a model gets all of them."""
NAMES = 12
"""Number of entities passed to a model."""


def community_summary(state: GraphState, members: Sequence[Entity], key: str) -> None:
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
