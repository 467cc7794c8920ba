"""Layout of the Graph page: toolbar, drawing or table, panel, steps of a run; what to do where there is no graph."""

from contextlib import suppress
from dataclasses import replace

import streamlit as st

from core.documents.model import ACTIVE, DocumentFilter, KnowledgeBase
from core.graph.scope import Shown, shown, types_in
from core.platform.errors import NotFoundError
from core.runs.history.touched_entities import touched_entities
from core.runs.history.view import StepView
from pages.components.documents.bases import CURRENT, base_picker, current_base, sample_button, use_base
from pages.components.graph.communities import whole_communities_panel
from pages.components.graph.drawing import drawing, way_of
from pages.components.graph.duplicates import duplicates_button
from pages.components.graph.edits import may_change, show_notice
from pages.components.graph.history import changes_menu
from pages.components.graph.panel import graph_panel, on_way
from pages.components.graph.search import graph_search, search_keys
from pages.components.graph.seen import fault_of_past, is_past, no_past, past_line, seen
from pages.components.graph.state import (
    ENTITY_TABLE,
    MAX_LINKED,
    RELATION_TABLE,
    WHOLE,
    GraphState,
    bound,
    change,
    graph_state,
    keep,
    narrow,
)
from pages.components.graph.tables import entity_table, relation_table
from pages.components.graph.toolbar import scope_line, type_filter, view_choice, view_options
from pages.components.graph.whole import overview, whole_view
from pages.components.run.run_views import view_of
from pages.components.run.run_words import node_words
from pages.components.shell.identity import may_edit, say_read_only
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.style import add_style
from pages.components.shell.widgets import refresh_page

PREPARED = "graph-prepared-"
"""Session key of the base whose whole graph was laid out in advance."""
Looked = tuple[StepView, tuple[str, ...]]
"""A step, and the ids of the entities that it used."""


def run_steps(state: GraphState, shown: Shown) -> None:
    """Draw a slider over the steps that used entities; nothing for fewer than two, or if the run was deleted.

    It is not drawn either while a path is shown.
    """
    steps = _steps(state.run)
    if len(steps) < 2 or state.path:
        return
    chosen = min(state.step, len(steps))
    with st.container(key="graph-run", gap=None):
        st.select_slider(
            t("graph.run.steps", count=len(steps)),
            range(len(steps) + 1),
            format_func=lambda number: _step_words(steps, number),
            **bound("graph-run-step", chosen, lambda number: _show(steps, number)),
        )
        st.caption(_touched(steps, chosen, shown))


def follow(state: GraphState) -> GraphState:
    """State with just the entities of the chosen step, whatever else the address lists."""
    steps = _steps(state.run) if state.run and state.scope.exact and not state.path else []
    looked = _of(steps, min(state.step, len(steps)))
    if len(steps) < 2 or set(looked) == set(state.scope.centre):
        return state
    keep(replace(state, scope=replace(state.scope, centre=looked)))
    return graph_state()


def _steps(run_id: str) -> list[Looked]:
    try:
        steps = view_of(services().runs.get(run_id)).steps
    except NotFoundError:
        return []
    return [(step, ids) for step, ids in zip(steps, touched_entities(steps, services().graph), strict=True) if ids]


def _step_words(steps: list[Looked], number: int) -> str:
    if not number:
        return t("graph.run.all")
    return f"{number}. {node_words(steps[number - 1][0].node)}"


def _touched(steps: list[Looked], number: int, shown: Shown) -> str:
    """Number of drawn entities that the chosen steps used, and how many of them no earlier step did."""
    here = {entity.id for entity in shown.view.entities} & set(_of(steps, number))
    if not number:
        return t("graph.run.touched_all", count=len(here))
    before = {id for _, ids in steps[: number - 1] for id in ids}
    return t("graph.run.touched", count=len(here), new=len(here - before))


def _of(steps: list[Looked], number: int) -> tuple[str, ...]:
    """Ids used by a step; 0 stands for all steps."""
    chosen = steps[number - 1 : number] if number else steps
    return tuple(dict.fromkeys(id for _, ids in chosen for id in ids))[:MAX_LINKED]


def _show(steps: list[Looked], number: int) -> None:
    scope = replace(graph_state().scope, centre=_of(steps, number), exact=True)
    change(scope=scope, step=number, selected="", edge=None, path=())


def draw_graph() -> None:
    add_style("graph.css", "documents.css")
    # taken first: later, work in the background holds up whoever makes a part of the services
    whole_graphs = services().whole_graphs
    base = _base_of(graph_state())
    if base is None:
        st.title(t("graph.title"), anchor=False)
        st.space("xsmall")
        _teach(t("graph.empty.no_base_title"))
        return
    state = graph_state()
    show_notice()
    if fault := fault_of_past(base.id):
        no_past(fault)
        return
    _header(base, state, filled=bool(services().graph.stats(base.id).entities))
    past_line(base.id)
    stats = seen().graph.stats(base.id)
    if not stats.entities:
        if is_past():  # a day before the first document
            st.info(t("graph.past.nothing"), icon=":material/event_busy:")
        elif _is_reading(base.id):
            _wait(base.id)
        else:
            _teach(t("graph.empty.title"), may_edit(base.id))
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="graph-toolbar"):
        with st.container(width=300, key="graph-find"):
            graph_search(base.id, state.scope.types)
        type_filter(types_in(seen().graph, base.id, state.scope), state.scope)
    room = st.container()
    search_keys()  # first: the room may take long, and Enter is to be heard meanwhile
    with room:
        _room(base, state)
    if not st.session_state.get(PREPARED + base.id):
        st.session_state[PREPARED + base.id] = True
        whole_graphs.prepare(base.id)  # last, so that the drawing that is asked for comes first


def _base_of(state: GraphState) -> KnowledgeBase | None:
    """Knowledge base of a link's entities, else the current one; another base resets the state."""
    if not state.base_id and (linked := _linked_base(state)):
        use_base(linked)
    base = current_base()
    if base and (not state.base_id or CURRENT not in st.query_params):
        keep(replace(state, base_id=base.id))
    elif base and base.id != state.base_id:
        keep(GraphState(base.id))
    return base


def _linked_base(state: GraphState) -> str:
    """Id of the knowledge base of the first entity that is still there; empty if none is."""
    for entity_id in filter(None, (state.selected, *(state.edge or ()), *state.path, *state.scope.centre)):
        with suppress(NotFoundError):
            return services().graph.entity(entity_id).base_id
    return ""


def _header(base: KnowledgeBase, state: GraphState, filled: bool) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="graph-header"):
        st.title(t("graph.title"), anchor=False, width="content")
        if filled:
            view_choice(state)
        st.space("stretch")
        base_picker(base, 190)
        with st.container(horizontal=True, wrap=False, width="content", gap="xsmall"):
            if filled and may_change(base.id):
                duplicates_button(base.id)
            changes_menu(base.id)
            view_options(base.id, state)


def _room(base: KnowledgeBase, state: GraphState) -> None:
    if state.path and not state.scope.centre:
        narrow(centre=tuple(on_way(base.id, state.path, state.strongest)), exact=True)
        state = graph_state()
    state = follow(state)
    part = overview(base.id, state.scope) if state.view == WHOLE else shown(seen().graph, base.id, state.scope)
    with st.container(key="graph-room"):
        picture, panel = st.columns([2, 1], gap="medium")
    with picture:
        if state.run and state.scope.exact and state.view != WHOLE:
            run_steps(state, part)
        _view(base.id, state, part)
    with panel, st.container(key="graph-panel"):
        if state.view == WHOLE and (state.communities or state.folded) and not (state.selected or state.edge):
            whole_communities_panel(base.id, state)
        else:
            graph_panel(state, part)


def _view(base_id: str, state: GraphState, part: Shown) -> None:
    if state.view == ENTITY_TABLE:
        entity_table(base_id, state)
    elif state.view == RELATION_TABLE:
        relation_table(base_id, state)
    elif state.view == WHOLE:
        whole_view(base_id, state)
    else:
        _drawing(state, part)


def _drawing(state: GraphState, part: Shown) -> None:
    way = way_of(state)
    scope_line(state, part, way)
    if part.view.entities:
        drawing(part, state, way)
    else:
        st.info(t("graph.gone") if state.scope.centre else t("graph.empty.filtered"))


def _is_reading(base_id: str) -> bool:
    return bool(services().library.documents.find(base_id, DocumentFilter(ACTIVE), limit=1))


@st.fragment(run_every=1.5)
def _wait(base_id: str) -> None:
    if services().graph.stats(base_id).entities or not _is_reading(base_id):
        refresh_page()
    st.info(t("graph.empty.working"), icon=":material/hourglass_top:")


def _teach(title: str, editable: bool = True) -> None:
    with st.container(border=True, key="graph-empty"):
        st.header(title, anchor=False)
        st.write(t("graph.empty.explain"))
        if not editable:
            say_read_only()
            return
        with st.container(horizontal=True):
            if st.button(t("graph.empty.add"), icon=":material/upload_file:", type="primary"):
                st.switch_page("pages/documents.py")
            sample_button()
