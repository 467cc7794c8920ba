"""What the reader looks at on the Graph page, kept in the session and in the address so that a link brings it back."""

from dataclasses import dataclass, field, replace

import streamlit as st

from pages.components.graph.scope import Scope, around

ENTITY = "entity"
ENTITIES = "entities"
MAX_LINKED = 200
"""Entity ids taken from an address; the rest of a longer list is ignored."""
MENTIONS = 6
_KEY = "graph"


@dataclass(frozen=True, slots=True)
class GraphState:
    base_id: str = ""
    """The knowledge base that the ids belong to; empty until a link's ids have been looked up."""
    scope: Scope = field(default_factory=Scope)
    selected: str = ""
    edge: tuple[str, str] | None = None
    mentions: int = MENTIONS
    """How many mentions the panel lists."""
    opened: tuple[int, ...] = ()
    """Hops whose neighbours the panel lists to the last."""


def graph_state() -> GraphState:
    """The session's state; an address that this page did not write itself (a link, a reload) wins."""
    linked = (st.query_params.get(ENTITY, ""), st.query_params.get(ENTITIES, ""))
    if linked != st.session_state.get(f"{_KEY}-address", ("", "")):
        st.session_state[f"{_KEY}-address"] = linked
        st.session_state[_KEY] = of_address(*linked)
    state: GraphState = st.session_state.setdefault(_KEY, GraphState())
    return state


def of_address(entity: str, entities: str) -> GraphState:
    """`entity` is looked at with its neighbourhood; `entities` (comma separated) are shown and nothing else."""
    listed = tuple(dict.fromkeys(part for part in entities.split(",") if part))[:MAX_LINKED]
    if listed:
        return GraphState(scope=Scope(centre=listed, exact=True), selected=entity)
    return GraphState(scope=Scope(centre=(entity,)) if entity else Scope(), selected=entity)


def keep(state: GraphState) -> None:
    """Store the state and write its address."""
    st.session_state[_KEY] = state
    listed = ",".join(state.scope.centre) if state.scope.exact else ""
    for name, value in ((ENTITY, state.selected), (ENTITIES, listed)):
        if value:
            st.query_params[name] = value
        else:
            st.query_params.pop(name, None)
    st.session_state[f"{_KEY}-address"] = (state.selected, listed)


def select(entity_id: str) -> None:
    """Look at an entity of the drawing; the drawing stays as it is."""
    keep(replace(graph_state(), selected=entity_id, edge=None, mentions=MENTIONS, opened=()))


def walk_to(entity_id: str) -> None:
    """Look at an entity and move the drawing to its neighbourhood."""
    state = graph_state()
    keep(GraphState(state.base_id, around(state.scope, entity_id), entity_id))


def look_at_edge(source_id: str, target_id: str) -> None:
    keep(replace(graph_state(), edge=(source_id, target_id)))


def clear_selection() -> None:
    keep(replace(graph_state(), selected="", edge=None))


def clear_edge() -> None:
    keep(replace(graph_state(), edge=None))


def open_ring(hop: int) -> None:
    state = graph_state()
    keep(replace(state, opened=(*state.opened, hop)))


def whole_picture() -> None:
    state = graph_state()
    keep(replace(state, scope=replace(state.scope, centre=(), exact=False), selected="", edge=None))


def narrow(**changes: object) -> None:
    """Change hops, types or limit of the scope."""
    state = graph_state()
    keep(replace(state, scope=replace(state.scope, **changes)))  # type: ignore[arg-type]
