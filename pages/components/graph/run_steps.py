"""Steps of a run on the graph: the entities that each one used."""

from dataclasses import replace

import streamlit as st

from core.graph.scope import Shown
from core.platform.errors import NotFoundError
from core.runs.history.touched_entities import touched_entities
from core.runs.history.view import StepView
from pages.components.graph.state import MAX_LINKED, GraphState, bound, change, graph_state, keep
from pages.components.run.run_views import view_of
from pages.components.run.run_words import node_words
from pages.components.shell.language import t
from pages.components.shell.services import services

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
            format_func=lambda number: _words(steps, number),
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


def _words(steps: list[Looked], number: int) -> str:
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
