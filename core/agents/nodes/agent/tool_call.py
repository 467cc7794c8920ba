"""Calls one tool and records it in the trace."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import replace

from core.agents.nodes.agent.tool_agent import Tools
from core.agents.state import Deps, State
from core.agents.tools.tool import ToolOutcome
from core.models.agent_ports import ToolUse
from core.platform.errors import BudgetError
from core.runs.events import Degraded, GraphTouched, ToolCalled

NODE = "tools"


def tool_call(wanted: ToolUse, tools: Tools, state: State, deps: Deps) -> tuple[ToolUse, ToolOutcome]:
    """The call with its result; an unknown tool gives an error text. Raises BudgetError, shown in the trace."""
    try:
        deps.meter.before_tool(wanted.tool, wanted.arguments)
    except BudgetError as error:
        deps.emit(Degraded(wanted.tool, error.key))
        raise
    started = time.perf_counter()
    tool = next((tool for tool in tools if tool.name == wanted.tool), None)
    outcome = tool.run(wanted.arguments, state, deps) if tool else _unknown(wanted.tool, tools)
    seconds = time.perf_counter() - started
    deps.emit(ToolCalled(wanted.tool, wanted.arguments, outcome.text, seconds, wanted.call_id))
    if outcome.entity_ids:
        deps.emit(GraphTouched(NODE, outcome.entity_ids))
    return replace(wanted, result=outcome.text), outcome


def is_repeated(wanted: ToolUse, calls: Iterable[ToolUse]) -> bool:
    """Whether it was called before with these arguments, so that nothing new can come of it."""
    given = json.loads(wanted.arguments)
    return any(use.tool == wanted.tool and json.loads(use.arguments) == given for use in calls)


def _unknown(name: str, tools: Tools) -> ToolOutcome:
    return ToolOutcome(f"Error: there is no tool '{name}'. Tools: {', '.join(tool.name for tool in tools)}")
