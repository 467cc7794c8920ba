"""Configuration of a tool-calling agent, shared by the two nodes of the loop."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field

from core.agents.nodes.runtime import WrittenText
from core.agents.state import AgentTurn, Deps, NodeRuntime, State, Update
from core.agents.tools.registry import next_call
from core.agents.tools.tool import AnyTool, Toolset, ToolSituation
from core.models.agent_ports import ToolUse
from core.models.tasks import Task

ANSWER = "answer"
"""The step of an agent that needs no further tool."""


def _as_text(arguments: object) -> object:
    return json.dumps(arguments, ensure_ascii=False) if isinstance(arguments, dict) else arguments


class ToolStep(BaseModel):
    """The next step of an agent with tools."""

    tool: str = Field(
        validation_alias=AliasChoices("tool", "name"),  # models also write it as a call, with arguments as an object
        description="the name of the tool to call next, or answer when the results so far suffice",
    )
    arguments: Annotated[str, BeforeValidator(_as_text)] = Field(
        default="{}", description="the arguments of the tool as a JSON object; {} for answer"
    )


def step_by_rule(tools: tuple[AnyTool, ...], situation: ToolSituation) -> ToolStep:
    tool, arguments = next_call(tools, situation)
    return ToolStep(tool=tool, arguments=arguments) if tool else ToolStep(tool=ANSWER)


@dataclass(frozen=True, slots=True)
class ModelUse:
    """Result of a tool-calling model's turn: requested tools, an answer, or neither."""

    turn: AgentTurn
    written: WrittenText | None = None


def failed(calls: tuple[ToolUse, ...] = ()) -> ModelUse:
    """Calls from which the built-in rules continue, each counting as a round."""
    return ModelUse(AgentTurn(calls, rounds=len(calls), by_rule=True))


Tools = tuple[AnyTool, ...]


@dataclass(frozen=True, slots=True)
class ToolAgent:
    toolset: Toolset
    step: Task[Any, ToolStep]
    """Decides the next step if the model cannot call tools."""
    request: Callable[[State, Deps, Tools], Any]
    """Builds the request of `step`."""
    use_model: Callable[[State, Deps, Tools], ModelUse | None]
    """Runs one turn or the whole loop of a tool-calling model; None if the model cannot call tools."""
    answer: Callable[[State, NodeRuntime, WrittenText | None], Update]
    """Writes the final answer, from the model's own text if there is any."""
