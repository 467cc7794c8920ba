"""What a community is about: sentences of the documents, and what a model makes of them where one is asked."""

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
from pages.components.shell.text import html_of, label

QUOTED = 2
"""Sentences that are shown of a community; a model is given all of them."""
NAMES = 12
"""Entities that a model is told of."""


def community_summary(state: GraphState, members: Sequence[Entity], key: str) -> None:
    """members: the most central first. Nothing where no sentence names two of them."""
    told = seen().communities.describe(state.base_id, members)
    if not told:
        return
    written = "" if is_past() or services().llm.engine == BUILT_IN else _by_model(members, told, key)
    if written:
        place = t("graph.communities.by_model", engine=label(services().llm.engine, 60))
        st.html(
            f'<p class="gt-sentence gt-small">{html_of(written)} <span class="gt-quiet">{html_of(place)}</span></p>'
        )
        return
    st.html("".join(map(_sentence_html, told[:QUOTED])))


def _sentence_html(told: CommunitySentence) -> str:
    place = place_words(label(told.document_name, 40), told.page)
    quoted = quote_html(told.sentence, told.names)
    return f'<p class="gt-sentence gt-small">{quoted} <span class="gt-quiet">{html_of(place)}</span></p>'


def _by_model(members: Sequence[Entity], told: Sequence[CommunitySentence], key: str) -> str:
    """What it wrote of these sentences; the button asks it for that, since its call may cost money."""
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
