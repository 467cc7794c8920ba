"""What tells one agent with tools from another, and what the loop's two nodes share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from core.domain.tool_use import ToolUse
from core.nodes.runtime import Written
from core.state import AgentTurn, Deps, State, Update
from core.tasks import Task
from core.tools.registry import next_call
from core.tools.tool import AnyTool, Situation, Toolset

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

ANSWER = "answer"
"""The step of an agent that needs no further tool."""


class ToolStep(BaseModel):
    """The next step of an agent with tools."""

    tool: str = Field(description="the name of the tool to call next, or answer when the results so far suffice")
    arguments: str = Field(default="{}", description="the arguments of the tool as a JSON object; {} for answer")


def step_by_rule(tools: tuple[AnyTool, ...], situation: Situation) -> ToolStep:
    tool, arguments = next_call(tools, situation)
    return ToolStep(tool=tool, arguments=arguments) if tool else ToolStep(tool=ANSWER)


@dataclass(frozen=True, slots=True)
class ModelUse:
    """Where a model that calls tools itself has brought the question: tools that it wants, an answer, or neither."""

    turn: AgentTurn
    written: Written | None = None


def failed(calls: tuple[ToolUse, ...] = ()) -> ModelUse:
    """The built-in rules go on from these calls, each for a round."""
    return ModelUse(AgentTurn(calls, rounds=len(calls), by_rule=True))


Tools = tuple[AnyTool, ...]


@dataclass(frozen=True, slots=True)
class ToolAgent:
    toolset: Toolset
    step: Task[Any, ToolStep]
    """Decides the next step where a model cannot call tools itself."""
    request: Callable[[State, Deps, Tools], Any]
    """What the step is decided on."""
    use_model: Callable[[State, Deps, Tools], ModelUse | None]
    """Lets a model call tools itself: one turn of it, or all; None where it cannot."""
    answer: Callable[[State, Runtime[Deps], Written | None], Update]
    """The end of the run, from what a model has written already, if anything."""
