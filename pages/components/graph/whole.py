"""The whole graph on a canvas, with the selection and filters of the other views."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache, lru_cache
from itertools import islice
from typing import Any

import streamlit as st

from core.graph.layout.full_layout import MOST_ENTITIES
from core.graph.layout.layout_payload import DrawingSelection, DrawnPart, draw_part, first_of
from core.graph.model import GraphView, WholeGraph
from core.graph.scope import ALL, COUNTED, STATED, GraphScope, Shown, fitting
from core.platform.errors import NotFoundError
from pages.components.graph.communities import COLOURS
from pages.components.graph.drawing import TYPES, way_of
from pages.components.graph.route import ASSETS, parts
from pages.components.graph.seen import seen
from pages.components.graph.state import (
    DRAWING,
    GraphState,
    bound,
    change,
    clear_selection,
    look_at_edge,
    select,
    unfold,
    walk_to,
)
from pages.components.shell.language import t
from pages.components.shell.text import render
from pages.components.shell.widgets import refresh_page

KEY = "graph-whole-canvas"
NEAR = 400
"""Number of the selected entity's strongest neighbours to which a line is drawn."""
OVERVIEW = 150
LOOKS = 1.0
"""Seconds between checks whether a provisional layout was replaced."""
_KINDS = {ALL: (0, 1), COUNTED: (0,), STATED: (1,)}


def whole_view(base_id: str, state: GraphState) -> None:
    whole = seen().whole_graphs.whole(base_id)
    asked = _asked(whole, state)
    part = _part(whole, base_id, *asked)
    _line(base_id, whole, part, state)
    _component()(
        key=KEY,
        data={
            "source": parts().address(f"{id(whole)} {whole.version} {asked}", lambda: part.data),
            "version": whole.version,
            "coloured": state.communities or state.folded,
            "labels": _labels(),
            "communities": COLOURS,
            **_chosen(whole, state),
        },
        on_choice_change=lambda: take(st.session_state[KEY].choice, whole),
    )
    if whole.rough:
        _wait(base_id)


@st.fragment(run_every=LOOKS)
def _wait(base_id: str) -> None:
    """Redraw the page when the final layout is ready."""
    if not seen().whole_graphs.whole(base_id).rough:
        refresh_page()


def overview(base_id: str, scope: GraphScope) -> Shown:
    """Most mentioned entities in scope, which the panel lists without a selection."""
    fits = fitting(seen().graph, base_id, scope)
    listed = tuple(islice(filter(fits, seen().whole_graphs.whole(base_id).entities), OVERVIEW))
    return Shown(GraphView(listed, ()), 0, len(listed))


def take(choice: Any, whole: WholeGraph) -> None:
    """Act on a message of the canvas about this graph."""
    if not isinstance(choice, Mapping):
        return
    kind, index, other = choice.get("type"), choice.get("index"), choice.get("other")
    if kind == "clear":
        clear_selection()
    elif isinstance(index, int) and isinstance(other, int) and index >= 0:
        _take_place(str(kind), index, other, whole)


def _take_place(kind: str, index: int, other: int, whole: WholeGraph) -> None:
    """Select by index: of an entity or, after all of them, of a folded community; other: end of a line."""
    count = len(whole.entities)
    if kind in ("select", "focus") and index >= count:
        unfold(first_of(whole, index - count))
    elif kind == "select":
        select(whole.entities[index].id)
    elif kind == "focus":
        walk_to(whole.entities[index].id)
        change(view=DRAWING)
    elif kind == "edge" and index < count and 0 <= other < count:
        look_at_edge(whole.entities[index].id, whole.entities[other].id)


def _asked(whole: WholeGraph, state: GraphState) -> tuple[GraphScope, bool, bool, tuple[str, ...]]:
    """Parameters of the part that is drawn; the community of the selected entity is not folded."""
    scope = replace(state.scope, centre=(), exact=False, hops=1, limit=GraphScope().limit)
    opened = (
        tuple(id for id in (*state.unfolded, state.selected) if id and id in _places(whole)) if state.folded else ()
    )
    return scope, state.communities, state.folded, opened


@lru_cache(maxsize=8)
def _part(
    whole: WholeGraph, base_id: str, scope: GraphScope, coloured: bool, folded: bool, opened: tuple[str, ...]
) -> DrawnPart:
    fits = fitting(seen().graph, base_id, scope)
    kept = bytes(
        fits(entity) and links >= scope.links for entity, links in zip(whole.entities, whole.links, strict=True)
    )
    return draw_part(whole, DrawingSelection(kept, _KINDS[scope.relations], coloured, folded, opened))


@lru_cache(maxsize=4)
def _places(whole: WholeGraph) -> dict[str, int]:
    return {entity.id: place for place, entity in enumerate(whole.entities)}


def _chosen(whole: WholeGraph, state: GraphState) -> dict[str, Any]:
    """Indexes of the selection, of its neighbours, and of the shown path or entities."""
    places = _places(whole)
    marked = [places[id] for id in state.scope.centre if id in places] if state.scope.exact else []
    return {
        "selected": places.get(state.selected, -1),
        "edge": [places.get(end, -1) for end in state.edge or ()],
        "marked": marked,
        "way": [[places[id] for id in leg if id in places] for leg in way_of(state)],
        "near": _near(places, state.selected),
    }


def _near(places: Mapping[str, int], selected: str) -> list[int]:
    if selected not in places:
        return []
    try:
        found = seen().graph.neighbours(selected, 1, NEAR)
    except NotFoundError:
        return []
    return [places[each.entity.id] for each in found if each.entity.id in places]


def _line(base_id: str, whole: WholeGraph, part: DrawnPart, state: GraphState) -> None:
    """Draw the counts of shown and hidden entities, and the switch that folds communities."""
    total = seen().graph.stats(base_id).entities
    words = [
        t("graph.scope.entities", shown=f"{part.entities:,}", count=f"{total:,}"),
        t("graph.whole.pairs", shown=f"{part.relations:,}", count=f"{whole.relations:,}"),
    ]
    if part.left_out:
        words.insert(1, t("graph.whole.left_out", count=f"{part.left_out:,}"))
    if part.folded:
        words.insert(1, t("graph.whole.folded", count=part.folded, inside=f"{part.inside:,}"))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="graph-scope"):
        bond = bound("graph-fold", state.folded, lambda folded: change(folded=folded, unfolded=()))
        st.toggle(t("graph.whole.fold"), **bond)
        help = t("graph.whole.explain", most=f"{MOST_ENTITIES:,}")
        st.caption(" · ".join(words), help=f"{help} {t('graph.legend_mentions')}", width="content")


@cache
def _component() -> Callable[..., Any]:
    js, css = ((ASSETS / f"whole.{kind}").read_text(encoding="utf-8") for kind in ("js", "css"))
    html = render("graph/graph.html", "whole")
    return st.components.v2.component("graph_whole", html=html, js=js, css=css)


def _labels() -> dict[str, Any]:
    names = ("graph", "node", "community", "focused", "no_way", "status", "failed")
    return {
        "types": {name: t(f"graph.type.{name}") for name in TYPES},
        **{name: t(f"graph.whole.{name}") for name in names},
        **{name: t(f"graph.drawing.{name}") for name in ("zoom_in", "zoom_out", "fit", "full", "png")},
    }
