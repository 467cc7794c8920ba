"""Filters, layout and colours of the drawing, beyond the types."""

from collections.abc import Sequence
from datetime import UTC, date, datetime

import streamlit as st

from core.graph.layout.view_layout import LAYOUTS, MEASURES
from core.graph.scope import MOST_LEAST, RELATIONS, GraphScope
from core.platform.errors import NotFoundError
from pages.components.graph.state import (
    COMMUNITY,
    SHADE,
    GraphState,
    bound,
    change,
    narrow,
    pages_in_words,
    pages_of,
)
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label

MOST_DOCUMENTS = 500
REFUSED = "graph-pages-refused"
"""Session key of an invalid page range."""


def view_filters(base_id: str, state: GraphState) -> None:
    _look(state)
    _colour(state)
    _document(base_id, state.scope)
    with st.container(horizontal=True, gap="small"):
        _pages(state.scope)
        _confidence(state.scope)
    if st.session_state.get(REFUSED):
        st.error(t("graph.filter.pages_refused"))
    with st.container(horizontal=True, gap="small"):
        _day("since", state.scope.since)
        _day("until", state.scope.until)
    with st.container(horizontal=True, gap="small"):
        _least("mentions", state.scope.mentions, 1)
        _least("links", state.scope.links, 0)
    _relations(state.scope)


def _colour(state: GraphState) -> None:
    now = COMMUNITY if state.communities else SHADE if state.shaded else "type"
    st.segmented_control(
        t("graph.filter.colour"),
        ("type", COMMUNITY, SHADE),
        required=True,
        format_func=lambda kind: t(f"graph.filter.colour_{kind}"),
        **bound("graph-colour", now, lambda kind: change(communities=kind == COMMUNITY, shaded=kind == SHADE)),
    )


def _look(state: GraphState) -> None:
    """Draw the choices of layout and of the measure that sizes show."""
    with st.container(horizontal=True, gap="small"):
        _kind("layout", LAYOUTS, state.layout)
        _kind("size", MEASURES, state.size)


def _kind(name: str, kinds: Sequence[str], now: str) -> None:
    words = t(f"graph.filter.{name}")
    bond = bound(f"graph-{name}", now, lambda kind: change(**{name: kind}))
    st.selectbox(words, kinds, format_func=lambda kind: t(f"graph.{name}.{kind}"), **bond)


def _document(base_id: str, scope: GraphScope) -> None:
    ready = services().library.documents.ready_names(base_id, MOST_DOCUMENTS)
    names = {"": t("graph.filter.every_document")} | {id: label(name, 60) for id, name in ready.items()}
    if scope.document not in names:
        names[scope.document] = _name_of(scope.document)
    bond = bound("graph-document", scope.document, lambda id: narrow(document=id))
    st.selectbox(t("graph.filter.document"), list(names), format_func=lambda id: names.get(id, ""), **bond)


def _name_of(document_id: str) -> str:
    """Name of a document that is not among the listed ones."""
    try:
        return label(services().library.documents.get(document_id).name, 60)
    except NotFoundError:
        return t("graph.filter.document_gone")


def _pages(scope: GraphScope) -> None:
    bond = bound("graph-pages", st.session_state.get(REFUSED) or pages_in_words(scope.pages), _take_pages)
    st.text_input(t("graph.filter.pages"), max_chars=12, placeholder=t("graph.filter.pages_hint"), **bond)


def _take_pages(words: str) -> None:
    pages = pages_of(words)
    st.session_state[REFUSED] = words if pages is None else ""
    if pages is not None:
        narrow(pages=pages)


def _confidence(scope: GraphScope) -> None:
    bond = bound("graph-confidence", scope.confidence, lambda share: narrow(confidence=int(share)))
    st.number_input(t("graph.filter.confidence"), 0, 100, step=5, **bond)


def _day(name: str, value: str) -> None:
    """Draw the choice of a date: what is new since, or what was known by then."""
    now = date.fromisoformat(value) if value else None
    bond = bound(f"graph-{name}", now, lambda day: narrow(**{name: day.isoformat() if day else ""}))
    today, about = datetime.now(UTC).date(), t(f"graph.filter.{name}_help")
    st.date_input(t(f"graph.filter.{name}"), max_value=today, help=about, **bond)


def _least(name: str, value: int, least: int) -> None:
    bond = bound(f"graph-least-{name}", value, lambda number: narrow(**{name: int(number)}))
    st.number_input(t(f"graph.filter.{name}"), least, MOST_LEAST, **bond)


def _relations(scope: GraphScope) -> None:
    st.segmented_control(
        t("graph.filter.relations"),
        RELATIONS,
        required=True,
        format_func=lambda kind: t(f"graph.filter.relations_{kind}"),
        **bound("graph-relations", scope.relations, lambda kind: narrow(relations=kind)),
    )
