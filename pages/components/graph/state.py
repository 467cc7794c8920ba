"""State of the Graph page, kept in the session and in the address, so that links reproduce the view."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from typing import Any

import streamlit as st

from core.graph.layout.view_layout import FORCE, LAYOUTS, MEASURES, USUAL
from core.graph.scope import ALL, HOPS, LIMITS, MOST_LEAST, RELATIONS, GraphScope, around
from pages.components.documents.bases import CURRENT

ENTITY, ENTITIES = "entity", "entities"
MAX_LINKED = 200
"""Entity ids taken from an address; the rest of a longer list is ignored."""
MENTIONS = 6
MAX_QUERY = 120
_KEY = "graph"
_ADDRESS = f"{_KEY}-address"
COMMUNITY, SHADE = "community", "shade"
DRAWING, WHOLE, ENTITY_TABLE, RELATION_TABLE = VIEWS = ("drawing", "whole", "entities", "relations")
FOLDED = "all"
"""Value in an address: all communities are folded."""
MOST_DIGITS = 5
FIRST_DAY = date(1970, 1, 1)


_FRESH: dict[str, Any] = {"mentions": MENTIONS, "opened": ()}
"""Fields of the panel that are reset for another entity."""


@dataclass(frozen=True, slots=True)
class GraphState:
    base_id: str = ""
    """The knowledge base that the ids belong to; empty until a link's ids have been looked up."""
    scope: GraphScope = field(default_factory=GraphScope)
    selected: str = ""
    edge: tuple[str, str] | None = None
    mentions: int = MENTIONS
    """Number of mentions that the panel lists."""
    opened: tuple[int, ...] = ()
    """Hops of which the panel lists all neighbours."""
    path: tuple[str, ...] = ()
    """Entities between which a path is shown."""
    strongest: bool = False
    """Whether the path is the strongest one instead of the shortest."""
    view: str = DRAWING
    """One of VIEWS."""
    communities: bool = False
    """Whether entities are coloured by community, not by type."""
    shaded: bool = False
    """Whether the colour of an entity shows the same measure as its size instead of the type."""
    layout: str = FORCE
    """One of LAYOUTS."""
    size: str = USUAL
    """One of MEASURES: what the size of an entity shows."""
    folded: bool = False
    """Whether the whole graph shows each community as one node."""
    unfolded: tuple[str, ...] = ()
    """Entities whose communities are not folded."""
    run: str = ""
    """The run whose entities are shown."""
    step: int = 0
    """Number of a step of the run; 0 for all."""
    find: str = ""
    """Search text for the names in the tables."""


def graph_state() -> GraphState:
    """The session's state; an address that this page did not write itself (a link, a reload) wins."""
    address = st.query_params.to_dict()  # at once: Streamlit takes as long for each name
    linked = {name: value for name in _parameters_of(GraphState()) if (value := address.get(name, ""))}
    if linked != st.session_state.get(_ADDRESS, {}):
        st.session_state[_ADDRESS] = linked
        st.session_state[_KEY] = of_address(linked)
    state: GraphState = st.session_state.setdefault(_KEY, GraphState())
    return state


def of_address(linked: Mapping[str, str]) -> GraphState:
    """State of a query: `entity` is selected with its neighbourhood; `entities` (comma separated) are shown alone."""
    entity, listed, path = linked.get(ENTITY, ""), _listed(linked, ENTITIES), _listed(linked, "path")
    edge = _listed(linked, "edge")
    scope = GraphScope(
        centre=listed or ((entity,) if entity and not path else ()),
        exact=bool(listed),
        hops=_number(linked, "hops", 1, HOPS),
        types=_listed(linked, "types"),
        limit=_number(linked, "limit", GraphScope().limit, LIMITS),
        document=linked.get("document", ""),
        mentions=_number(linked, "mentions", 1, range(1, MOST_LEAST + 1)),
        links=_number(linked, "links", 0, range(MOST_LEAST + 1)),
        pages=pages_of(linked.get("pages", "")) or (0, 0),
        confidence=_number(linked, "confidence", 0, range(101)),
        since=date_of(linked.get("since", "")),
        until=date_of(linked.get("until", "")),
        relations=linked["show"] if linked.get("show") in RELATIONS else ALL,
    )
    strongest, communities = linked.get("by") == "strength", linked.get("colour") == COMMUNITY
    view = linked["view"] if linked.get("view") in VIEWS else DRAWING
    unfolded = tuple(id for id in _listed(linked, "fold") if id != FOLDED)
    return GraphState(
        scope=scope,
        selected=entity,
        edge=(edge[0], edge[1]) if len(edge) == 2 else None,
        path=path,
        strongest=strongest,
        view=view,
        communities=communities,
        shaded=linked.get("colour") == SHADE,
        layout=linked["layout"] if linked.get("layout") in LAYOUTS else FORCE,
        size=linked["size"] if linked.get("size") in MEASURES else USUAL,
        folded="fold" in linked,
        unfolded=unfolded,
        run=linked.get("run", ""),
        step=_number(linked, "step", 0, range(MOST_LEAST)),
        find=linked.get("find", "")[:MAX_QUERY],
    )


def address_of(state: GraphState) -> dict[str, str]:
    """Query parameters that restore the state, without default values."""
    return {name: value for name, value in _parameters_of(state).items() if value}


def _parameters_of(state: GraphState) -> dict[str, str]:
    """All parameters that determine what is drawn; empty for default values."""
    scope, usual = state.scope, GraphScope()
    run, step = (state.run, state.step) if scope.exact and state.run else ("", 0)
    numbers = ("hops", "mentions", "links", "limit", "confidence")
    chosen = {name: (getattr(scope, name), getattr(usual, name)) for name in numbers}
    chosen |= {"layout": (state.layout, FORCE), "size": (state.size, USUAL), "view": (state.view, DRAWING)}
    chosen |= {"show": (scope.relations, ALL), "step": (step, 0)}
    return {
        ENTITY: state.selected,
        ENTITIES: ",".join(scope.centre) if scope.exact and not state.path else "",
        "path": ",".join(state.path),
        "by": "strength" if state.path and state.strongest else "",
        "edge": ",".join(state.edge or ()),
        "colour": COMMUNITY if state.communities else SHADE if state.shaded else "",
        "fold": ",".join([FOLDED, *state.unfolded]) if state.folded else "",
        "find": state.find,
        "run": run,
        "types": ",".join(scope.types),
        "document": scope.document,
        "pages": pages_in_words(scope.pages),
        "since": scope.since,
        "until": scope.until,
        **{name: "" if value == default else str(value) for name, (value, default) in chosen.items()},
    }


def keep(state: GraphState) -> None:
    """Store the state and write its address with the knowledge base."""
    st.session_state[_KEY] = state
    st.session_state[_ADDRESS] = address = address_of(state)
    before = st.query_params.to_dict()
    others = {name: value for name, value in before.items() if name not in (*_parameters_of(state), CURRENT)}
    if state.base_id:
        others[CURRENT] = state.base_id
    if others | address != before:
        # At once: each writing is an entry in the browser's history.
        st.query_params.from_dict(others | address)


def pages_of(words: str) -> tuple[int, int] | None:
    """Page range of "3", "3-7", "3-" or "-7"; None for other texts."""
    first, dash, last = (part.strip() for part in words.strip().replace("–", "-").partition("-"))
    given = [part for part in (first, last) if part]
    if any(not part.isdecimal() or len(part) >= MOST_DIGITS or int(part) < 1 for part in given):
        return None
    if not given:
        return (0, 0)
    start = int(first or 0)
    end = int(last or 0) if dash else start
    return (start, end) if not end or start <= end else None


def pages_in_words(pages: tuple[int, int]) -> str:
    first, last = ("" if page == 0 else str(page) for page in pages)
    return first if first == last else f"{first}-{last}"


def date_of(words: str) -> str:
    """ISO date; empty for an invalid date, or one that the field for past days does not accept."""
    try:
        day = date.fromisoformat(words)
    except ValueError:
        return ""
    return day.isoformat() if FIRST_DAY <= day <= datetime.now(UTC).date() else ""


def _listed(linked: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part for part in linked.get(name, "").split(",") if part))[:MAX_LINKED]


def _number(linked: Mapping[str, str], name: str, usual: int, allowed: Container[int]) -> int:
    given = linked.get(name, "")
    return int(given) if given.isdecimal() and len(given) < MOST_DIGITS and int(given) in allowed else usual


def select(entity_id: str) -> None:
    """Select an entity without changing the drawing."""
    change(selected=entity_id, edge=None, **_FRESH)


def walk_to(entity_id: str) -> None:
    """Select an entity and move the drawing to its neighbourhood."""
    change(scope=around(graph_state().scope, entity_id), selected=entity_id, edge=None, path=(), **_FRESH)


def look_at_edge(source_id: str, target_id: str) -> None:
    change(edge=(source_id, target_id))


def show_only(entity_ids: Sequence[str]) -> None:
    """Show these entities and their relations alone."""
    scope = replace(graph_state().scope, centre=tuple(entity_ids), exact=True)
    change(scope=scope, view=DRAWING, selected="", edge=None, path=(), run="", **_FRESH)


def clear_selection() -> None:
    change(selected="", edge=None)


def leave(entity_id: str) -> None:
    """Clear the selection and the neighbourhood of an entity that no longer exists."""
    if entity_id in graph_state().scope.centre:
        whole_picture()
    else:
        clear_selection()


def whole_picture() -> None:
    change(scope=replace(graph_state().scope, centre=(), exact=False), selected="", edge=None, path=())


def show_path(entity_ids: Sequence[str], strongest: bool, way: Sequence[str]) -> None:
    """Draw the path between the entities and nothing else."""
    scope = replace(graph_state().scope, centre=tuple(way), exact=True)
    change(scope=scope, selected="", edge=None, path=tuple(entity_ids), strongest=strongest)


def unfold(entity_id: str) -> None:
    """Unfold the community of an entity."""
    if entity_id:
        change(unfolded=(*graph_state().unfolded, entity_id)[-MAX_LINKED:])


def change(**changes: object) -> None:
    keep(replace(graph_state(), **changes))  # type: ignore[arg-type]


def narrow(**changes: object) -> None:
    """Change hops, types or limit of the scope."""
    change(scope=replace(graph_state().scope, **changes))  # type: ignore[arg-type]


def bound(key: str, value: object, take: Callable[[Any], None]) -> dict[str, Any]:
    """Arguments of a widget that shows a value of the state, and hands over what the reader chooses instead."""
    st.session_state[key] = value
    return {"key": key, "on_change": lambda: take(st.session_state[key])}
