"""Calls the graph tool that was asked for; when the budget allows no more, the answer is forced."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

from core.domain.events import Degraded, GraphTouched, ToolCalled
from core.errors import BudgetError
from core.nodes.deciding import noted
from core.state import Deps, State, Update
from core.tools.graph_toolbox import use

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

NODE = "tools"


def graph_tools(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    wanted = state.wanted[0]
    try:
        deps.meter.before_tool(wanted.tool, wanted.arguments)
    except BudgetError as error:
        deps.emit(Degraded(wanted.tool, error.key))
        return {"wanted": (), "forced": True, "note": noted("limit", error.key)}
    started = time.perf_counter()
    said = use(deps.graph, state.base_id, wanted.tool, wanted.arguments)
    seconds = time.perf_counter() - started
    deps.emit(ToolCalled(wanted.tool, wanted.arguments, said.text, seconds, wanted.call_id))
    if said.entity_ids:
        deps.emit(GraphTouched(NODE, said.entity_ids))
    calls = (*state.calls, replace(wanted, result=said.text))
    forced = len(calls) >= deps.max_tool_rounds
    note = noted("limit" if forced else "called", "run.reason.tools_called", tools=wanted.tool)
    return {"calls": calls, "wanted": (), "forced": forced, "note": note}
