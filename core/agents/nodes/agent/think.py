"""A turn of an agent, which requests another tool or answers; and the configuration of an agent."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, Field

from core.agents.intents import A_QUESTION
from core.agents.nodes.answer.direct_answer import asked_back
from core.agents.nodes.memory.consolidate_memory import remembering_answer
from core.agents.nodes.plan.detect_language import answer_language
from core.agents.nodes.plan.references import known_names, readings_of
from core.agents.nodes.runtime import WrittenText, ask_model, noted
from core.agents.nodes.understood import understood_in
from core.agents.state import AgentTurn, Deps, NodeRuntime, Route, State, Update
from core.agents.tools.registry import next_call, session_tools
from core.agents.tools.tool import AnyTool, Toolset, ToolSituation
from core.models.agent_ports import ToolUse
from core.models.tasks import Task
from core.rulebook.messages import resolve
from core.runs.model import Turn

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


LONGEST_NAME = 80
LONG = 25
KEPT = 20


class Continue(StrEnum):
    TOOLS = "tools"
    END = "end"


def think(agent: ToolAgent, state: State, runtime: NodeRuntime) -> Update:
    deps = runtime.context
    current = _begun(state, deps)
    understood = A_QUESTION if state.agent.calls else understood_in(state, deps)
    choices = () if state.agent.calls else readings_of(current, deps)
    if choices:
        asked = asked_back(replace(current, draft=replace(current.draft, choices=choices)))
        return {**_carried(current), **asked, "shown": asked["draft"].published()}
    if not understood.is_question:
        route = Route.OUT_OF_SCOPE if understood.is_errand else Route.DIRECT
        current = replace(current, search=replace(current.search, route=route))
        said = remembering_answer(current, runtime)
        return {**_carried(current), **said, "shown": said["draft"].published()}
    tools = session_tools(agent.toolset, current, deps)
    used = (None if current.agent.by_rule else agent.use_model(current, deps, tools)) or ModelUse(current.agent)
    current = replace(current, agent=used.turn)
    wanted = used.turn.wanted
    if not wanted and used.written is None and not used.turn.forced:
        wanted = _step(agent, current, deps, tools)
    if wanted:
        return _wanting(wanted, current)
    return {**_carried(current), **agent.answer(current, runtime, used.written)}


def after_think(state: State) -> Continue:
    return Continue.TOOLS if state.agent.wanted else Continue.END


def _begun(state: State, deps: Deps) -> State:
    """State of the first turn: language, truncated history, resolved references."""
    history = cut_history(state.history)
    if state.agent.calls:
        return replace(state, history=history)
    state = replace(state, history=history)
    resolved = resolve(state.question, history, known_names(state, deps, history, state.question))
    return replace(state, language=answer_language(state, deps), resolved_question=resolved)


def _step(agent: ToolAgent, state: State, deps: Deps, tools: Tools) -> tuple[ToolUse, ...]:
    """The next call; empty if the agent answers, which needs at least one call."""
    request = agent.request(state, deps, tools)
    made = agent.step.rule(request) if state.agent.by_rule else ask_model(deps, agent.step, request)
    if made.tool == ANSWER and not state.agent.calls:
        made = agent.step.rule(request)
    if made.tool == ANSWER:
        return ()
    return (ToolUse(f"call_{len(state.agent.calls) + 1}", made.tool[:LONGEST_NAME], _object(made.arguments)),)


def _object(arguments: str) -> str:
    """Anything but a JSON object becomes an empty one; the tool then names the missing arguments."""
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        given = {}
    return json.dumps(given if isinstance(given, dict) else {}, ensure_ascii=False)


def _carried(current: State) -> Update:
    """State that a turn sets, whatever its outcome."""
    return {
        "language": current.language,
        "resolved_question": current.resolved_question,
        "search": current.search,
        "agent": replace(current.agent, wanted=()),
    }


def _wanting(wanted: tuple[ToolUse, ...], current: State) -> Update:
    tools = ", ".join(use.tool for use in wanted)
    arguments = ", ".join(use.arguments for use in wanted)
    note = noted(Continue.TOOLS, "run.reason.tool_wanted", tools=tools, arguments=arguments)
    return {**_carried(current), "agent": replace(current.agent, wanted=wanted), "note": note}


def cut_history(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The whole conversation up to LONG messages, else the newest KEPT, from their first question on.

    A plain cut can leave a tool's result without its call, which servers refuse.
    """
    if len(turns) <= LONG:
        return tuple(turns)
    newest = list(turns[-KEPT:])
    first = next((at for at, turn in enumerate(newest) if turn.role == "user"), len(newest))
    return tuple(newest[first:])
