"""The drawing in the page: a sandboxed frame, and the selections that it sends."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import streamlit as st

from core.graph.layout.view_layout import CENTRALITY, FORCE, USUAL, measure_of, positions_of, shades_of
from core.graph.model import ENTITY_TYPES, GraphView
from core.graph.scope import Shown
from pages.components.graph.communities import COLOURS, groups_of
from pages.components.graph.route import ASSETS, drawings
from pages.components.graph.seen import seen
from pages.components.graph.state import GraphState, clear_selection, look_at_edge, select, walk_to
from pages.components.shell.language import language, t
from pages.components.shell.services import services
from pages.components.shell.text import render

KEY = "graph-drawing"
TYPES = (*ENTITY_TYPES, "OTHER")
SHADES = ("#9cc9d9", "#5fa8c4", "#2f84a8", "#1d6285", "#8a3b8f")
"""Colours from the least to the greatest value; the last one stands out in both themes."""
Way = Sequence[Sequence[str]]
"""Ids of the entities along the drawn path, in sections, each from one of its entities to the next."""
STEP_UP = 0.6
"""Vertical offset of the next entity of a path, as a share of the distance between two of them."""


@dataclass(frozen=True, slots=True)
class Look:
    """Layout of the entities, and their sizes and colour numbers; empty for the usual ones."""

    layout: str = FORCE
    sizes: tuple[float, ...] = ()
    groups: tuple[int, ...] = ()


PLAIN = Look()


def drawing(shown: Shown, state: GraphState, way: Way = ()) -> None:
    """Draw the view; a click in it changes the page's state before the page runs again."""
    view = shown.view
    look = look_of(shown, state)
    legend(look, state)
    _component()(
        key=KEY,
        data={
            "source": drawings().address(view_key(shown, look, way), lambda: page_of(shown, look, way)),
            "selected": state.selected,
            "edge": state.edge,
            "way": way,
            "labels": _labels(),
            "communities": SHADES if state.shaded else COLOURS,
        },
        on_choice_change=lambda: take(st.session_state[KEY].choice, view),
    )


def take(choice: Any, view: GraphView) -> None:
    """Act on a message of the frame, which shows untrusted names: only entities of its own view are accepted."""
    if not isinstance(choice, dict):
        return
    ids = {entity.id for entity in view.entities}
    kind, chosen, source, target = (str(choice.get(name, "")) for name in ("type", "id", "from", "to"))
    if kind == "clear":
        clear_selection()
    elif kind in ("select", "focus") and chosen in ids:
        (select if kind == "select" else walk_to)(chosen)
    elif kind == "edge" and source in ids and target in ids:
        look_at_edge(source, target)


def way_of(state: GraphState) -> Way:
    if not (state.path and state.scope.exact):
        return ()
    legs = seen().graph.path(state.base_id, state.path, state.strongest)
    return tuple(tuple(entity.id for entity in leg) for leg in legs)


def look_of(shown: Shown, state: GraphState) -> Look:
    if state.path:
        return Look()
    centrality: dict[str, float] = {}
    if state.size == CENTRALITY:
        whole = seen().whole_graphs.whole(state.base_id)
        centrality = dict(zip((entity.id for entity in whole.entities), whole.centrality, strict=True))
    sizes = tuple(measure_of(shown, state.size, centrality))
    groups = groups_of(shown) if state.communities else shades_of(sizes) if state.shaded else []
    return Look(state.layout, sizes, tuple(groups))


def legend(look: Look, state: GraphState) -> None:
    """Draw the legend of sizes and shades unless they are the usual ones; the filter above is the legend of types."""
    if not look.sizes or (state.size == USUAL and not state.shaded):
        return
    low, high = (f"{value:,.0f}" if state.size != CENTRALITY else f"{value:.2f}" for value in _ends(look.sizes))
    words = t("graph.legend_size", measure=t(f"graph.size.{state.size}"), low=low, high=high)
    st.html(render("graph/graph.html", "legend", words=words, shades=SHADES if state.shaded else ()))


def _ends(sizes: Sequence[float]) -> tuple[float, float]:
    return min(sizes), max(sizes)


def page_of(shown: Shown, look: Look = PLAIN, way: Way = ()) -> str:
    """The view as a page, with nodes placed by the drawn relations, or along the path between two of them."""
    places = along(shown, way) or positions_of(shown, look.layout)
    return services().drawing.page(shown.view, places, shown.lines, look.groups, look.sizes)


def along(shown: Shown, way: Way) -> list[tuple[float, float]]:
    """Positions from left to right, alternating up and down; empty if no path covers all drawn entities."""
    place = {id: number for number, id in enumerate(dict.fromkeys(id for leg in way for id in leg))}
    if not place or any(entity.id not in place for entity in shown.view.entities):
        return []
    return [(float(place[entity.id]), STEP_UP * (place[entity.id] % 2)) for entity in shown.view.entities]


def view_key(shown: Shown, look: Look = PLAIN, way: Way = ()) -> str:
    """Key that is equal for two views that look the same."""
    nodes = [(e.id, e.name, e.type, e.mentions) for e in shown.view.entities]
    drawn = [(r.source_id, r.target_id, r.relation, r.weight) for r in shown.view.relations]
    return repr((nodes, drawn, shown.lines, look, way))


@cache
def _component() -> Callable[..., Any]:
    js, css = ((ASSETS / f"component.{kind}").read_text(encoding="utf-8") for kind in ("js", "css"))
    return st.components.v2.component("graph_drawing", html=render("graph/graph.html", "drawing"), js=js, css=css)


def _labels() -> dict[str, Any]:
    names = ("graph", "node", "edge", "zoom_in", "zoom_out", "fit", "full", "png")
    spoken = ("focused", "no_way")
    return {
        "language": language(),
        "types": {name: t(f"graph.type.{name}") for name in TYPES},
        **{name: t(f"graph.drawing.{name}") for name in names},
        **{name: t(f"graph.whole.{name}") for name in spoken},
    }
