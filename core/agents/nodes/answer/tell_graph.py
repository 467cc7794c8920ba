"""Answers from the graph what asks for nothing else: how named things are connected, and the names of a type."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.agents.nodes.runtime import noted
from core.agents.state import Deps, Noted, State, Update
from core.graph.questions import GraphQuestion, TellOutcome

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


def tell_graph(state: State, runtime: Runtime[Deps]) -> Update:
    """What tells it is loaded when it is asked for: most questions ask for nothing of the graph."""
    asked = state.search.asked
    if asked.kind is GraphQuestion.OTHER and not asked.statement:
        return {"note": noted(TellOutcome.SEARCH, "run.reason.graph_along")}
    from core.agents.nodes.answer.told_of_graph import stated_of_graph, told_of_graph

    if asked.statement:
        return stated_of_graph(state, runtime.context)
    return told_of_graph(state, runtime.context, asked.kind)


def after_tell(state: Noted) -> TellOutcome:
    return TellOutcome(state.note.outcome)
