"""The drawing in the page: a sandboxed frame, and the choices that come back from it."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import streamlit as st

from core.graph.layout.view_layout import positions_of
from core.graph.model import ENTITY_TYPES, GraphView
from core.graph.scope import Shown
from pages.components.graph.communities import COLOURS, groups_of
from pages.components.graph.route import ASSETS, drawings
from pages.components.graph.seen import seen
from pages.components.graph.state import GraphState, clear_selection, look_at_edge, select, walk_to
from pages.components.shell.language import language, t
from pages.components.shell.services import services

KEY = "graph-drawing"
TYPES = (*ENTITY_TYPES, "OTHER")
STEP_UP = 0.6
"""How far the next entity of a way stands above or below, in the distance between two of them."""


def drawing(shown: Shown, state: GraphState) -> None:
    """Draws the view; a click in it changes the page's state before the page runs again."""
    view, way = shown.view, way_of(state)
    groups = groups_of(shown) if state.communities and not state.path else []
    _component()(
        key=KEY,
        data={
            "source": drawings().address(view_key(shown, groups, way), lambda: page_of(shown, groups, way)),
            "selected": state.selected,
            "edge": state.edge,
            "way": way,
            "labels": _labels(),
            "communities": COLOURS,
        },
        on_choice_change=lambda: take(st.session_state[KEY].choice, view),
    )


def take(choice: Any, view: GraphView) -> None:
    """Act on what the frame sent. It shows untrusted names, so it is believed only about entities of its own view."""
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


def way_of(state: GraphState) -> tuple[tuple[str, ...], ...]:
    """The ways of the path that is drawn, each from one of its entities to the next."""
    if not (state.path and state.scope.exact):
        return ()
    legs = seen().graph.path(state.base_id, state.path, state.strongest)
    return tuple(tuple(entity.id for entity in leg) for leg in legs)


def page_of(shown: Shown, groups: Sequence[int] = (), way: Sequence[Sequence[str]] = ()) -> str:
    """The view as a page, its nodes placed by the relations that are drawn, or along the way between two of them."""
    return services().drawing.page(shown.view, along(shown, way) or positions_of(shown), shown.lines, groups)


def along(shown: Shown, way: Sequence[Sequence[str]]) -> list[tuple[float, float]]:
    """From left to right and up and down in turn; nothing where there is no way over all that is drawn."""
    place = {id: number for number, id in enumerate(dict.fromkeys(id for leg in way for id in leg))}
    if not place or any(entity.id not in place for entity in shown.view.entities):
        return []
    return [(float(place[entity.id]), STEP_UP * (place[entity.id] % 2)) for entity in shown.view.entities]


def view_key(shown: Shown, groups: Sequence[int] = (), way: Sequence[Sequence[str]] = ()) -> str:
    """The same for two views that look the same."""
    nodes = [(e.id, e.name, e.type, e.mentions) for e in shown.view.entities]
    drawn = [(r.source_id, r.target_id, r.relation, r.weight) for r in shown.view.relations]
    return repr((nodes, drawn, shown.lines, groups, way))


@cache
def _component() -> Callable[..., Any]:
    js, css = ((ASSETS / f"component.{kind}").read_text(encoding="utf-8") for kind in ("js", "css"))
    return st.components.v2.component("graph_drawing", html='<div class="graph-box"></div>', js=js, css=css)


def _labels() -> dict[str, Any]:
    names = ("graph", "node", "edge", "zoom_in", "zoom_out", "fit", "png")
    spoken = ("focused", "no_way")
    return {
        "language": language(),
        "types": {name: t(f"graph.type.{name}") for name in TYPES},
        **{name: t(f"graph.drawing.{name}") for name in names},
        **{name: t(f"graph.whole.{name}") for name in spoken},
    }
