"""Filters, layout and colours of the drawing, beyond the types."""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime

import streamlit as st

from core.graph.layout.view_layout import LAYOUTS, MEASURES
from core.graph.scope import MOST_LEAST, RELATIONS, GraphScope
from core.platform.errors import NotFoundError
from pages.components.graph.state import (
    COMMUNITY,
    SHADE,
    GraphState,
    arrange,
    colour_by,
    narrow,
    pages_in_words,
    pages_of,
    size_by,
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
    st.session_state["graph-colour"] = COMMUNITY if state.communities else SHADE if state.shaded else "type"
    st.segmented_control(
        t("graph.filter.colour"),
        ("type", COMMUNITY, SHADE),
        required=True,
        format_func=lambda kind: t(f"graph.filter.colour_{kind}"),
        key="graph-colour",
        on_change=lambda: colour_by(st.session_state["graph-colour"]),
    )


def _look(state: GraphState) -> None:
    """Draw the choices of layout and of the measure that sizes show."""
    with st.container(horizontal=True, gap="small"):
        _kind("layout", LAYOUTS, state.layout, arrange)
        _kind("size", MEASURES, state.size, size_by)


def _kind(name: str, kinds: Sequence[str], now: str, act: Callable[[str], None]) -> None:
    key = f"graph-{name}"
    st.session_state[key] = now
    st.selectbox(
        t(f"graph.filter.{name}"),
        kinds,
        format_func=lambda kind: t(f"graph.{name}.{kind}"),
        key=key,
        on_change=lambda: act(st.session_state[key]),
    )


def _document(base_id: str, scope: GraphScope) -> None:
    ready = services().library.documents.ready_names(base_id, MOST_DOCUMENTS)
    names = {"": t("graph.filter.every_document")} | {id: label(name, 60) for id, name in ready.items()}
    if scope.document not in names:
        names[scope.document] = _name_of(scope.document)
    st.session_state["graph-document"] = scope.document
    st.selectbox(
        t("graph.filter.document"),
        list(names),
        format_func=lambda id: names.get(id, ""),
        key="graph-document",
        on_change=lambda: narrow(document=st.session_state["graph-document"]),
    )


def _name_of(document_id: str) -> str:
    """Name of a document that is not among the listed ones."""
    try:
        return label(services().library.documents.get(document_id).name, 60)
    except NotFoundError:
        return t("graph.filter.document_gone")


def _pages(scope: GraphScope) -> None:
    refused = st.session_state.get(REFUSED, "")
    st.session_state["graph-pages"] = refused or pages_in_words(scope.pages)
    st.text_input(
        t("graph.filter.pages"),
        key="graph-pages",
        max_chars=12,
        placeholder=t("graph.filter.pages_hint"),
        on_change=_take_pages,
    )


def _take_pages() -> None:
    words = st.session_state["graph-pages"]
    pages = pages_of(words)
    st.session_state[REFUSED] = words if pages is None else ""
    if pages is not None:
        narrow(pages=pages)


def _confidence(scope: GraphScope) -> None:
    st.session_state["graph-confidence"] = scope.confidence
    st.number_input(
        t("graph.filter.confidence"),
        0,
        100,
        step=5,
        key="graph-confidence",
        on_change=lambda: narrow(confidence=int(st.session_state["graph-confidence"])),
    )


def _day(name: str, value: str) -> None:
    """Draw the choice of a date: what is new since, or what was known by then."""
    key = f"graph-{name}"
    st.session_state[key] = date.fromisoformat(value) if value else None
    st.date_input(
        t(f"graph.filter.{name}"),
        key=key,
        max_value=datetime.now(UTC).date(),
        help=t(f"graph.filter.{name}_help"),
        on_change=lambda: narrow(**{name: st.session_state[key].isoformat() if st.session_state[key] else ""}),
    )


def _least(name: str, value: int, least: int) -> None:
    key = f"graph-least-{name}"
    st.session_state[key] = value
    st.number_input(
        t(f"graph.filter.{name}"),
        least,
        MOST_LEAST,
        key=key,
        on_change=lambda: narrow(**{name: int(st.session_state[key])}),
    )


def _relations(scope: GraphScope) -> None:
    st.session_state["graph-relations"] = scope.relations
    st.segmented_control(
        t("graph.filter.relations"),
        RELATIONS,
        required=True,
        format_func=lambda kind: t(f"graph.filter.relations_{kind}"),
        key="graph-relations",
        on_change=lambda: narrow(relations=st.session_state["graph-relations"]),
    )
