"""The graph agent with a tool-calling model: LangChain's agent loop over the graph's tools, traced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import dropwhile

from core.agents.nodes.agent.tool_agent import ModelUse, Tools, failed
from core.agents.nodes.agent.tool_call import NODE as TOOLS_NODE
from core.agents.nodes.agent.tool_call import tool_call
from core.agents.nodes.runtime import WrittenText, noted, wishing
from core.agents.state import AgentTurn, Deps, Note, State
from core.agents.tools.registry import next_call
from core.agents.tools.tool import AnyTool, ToolSituation
from core.models.agent_ports import Agent, AgentTask, ModelTurn, ToolSchema
from core.models.failures import ToolsUnknownError
from core.models.tool_use import ToolUse
from core.platform.errors import BudgetError, ServiceError
from core.rulebook.graph.answers import knows
from core.runs.events import AnswerDelta, AnswerReset, NodeFinished, NodeStarted
from core.runs.model import Turn

MODEL = "model"
NO_MORE = "Error: no further tool may be called. Answer now from what the tools said."


@dataclass(frozen=True, slots=True)
class GraphWalkRequest:
    question: str
    language: str
    nodes: int
    edges: int
    density: float
    types: tuple[str, ...]
    tools: tuple[AnyTool, ...] = ()
    names: tuple[str, ...] = ()
    """Entities of the graph in the question, longest first."""


WALK = AgentTask("graph_walk", GraphWalkRequest, max_tokens=3_000)


def graph_walk(state: State, deps: Deps, agent: Agent, request: GraphWalkRequest) -> ModelUse:
    """Runs the whole loop; if it does not finish, the rules continue step by step."""
    host = _Host(deps, state, request)
    try:
        written = WrittenText(agent.run(WALK, wishing(deps, request), host, deps.meter))
    except ToolsUnknownError:
        return ModelUse(state.agent)
    except (ServiceError, BudgetError) as error:
        deps.meter.degraded(WALK.name, error.key)
        partial = host.shown.strip()
        if not partial:
            return failed(_of_use(host.found, request))
        written = WrittenText(partial, error.key)
    if host.forced and not host.found:
        deps.meter.degraded(WALK.name, "llm.invalid_output")
        return failed()
    return ModelUse(AgentTurn(tuple(host.calls), rounds=host.rounds, forced=host.forced), written)


@dataclass
class _Host:
    """Callbacks of the agent loop: tool calls and events of one question."""

    deps: Deps
    state: State
    request: GraphWalkRequest
    rounds: int = 0
    calls: list[ToolUse] = field(default_factory=list)
    shown: str = ""
    """Of the answer, in this turn."""
    forced: bool = False

    @property
    def tools(self) -> Sequence[ToolSchema]:
        return [tool.schema() for tool in self.request.tools]

    @property
    def history(self) -> Sequence[Turn]:
        return self.state.history

    @property
    def max_turns(self) -> int:
        return self.deps.max_tool_rounds + 1

    @property
    def found(self) -> tuple[ToolUse, ...]:
        """Successful calls, from which the rules can continue."""
        return tuple(filter(knows, self.calls))

    def begin_turn(self) -> bool:
        if self.rounds:
            self.deps.emit(NodeStarted(MODEL, 0))
        return not self.forced

    def say(self, piece: str) -> None:
        """Text written before a tool found something is not an answer and is not shown."""
        if self.found:
            self.shown += piece
            self.deps.emit(AnswerDelta(piece))

    def on_turn_end(self, turn: ModelTurn) -> ModelTurn:
        if not turn.wanted and not self.calls and not self.forced:
            turn = ModelTurn("", _first(self.request))
        if turn.wanted:
            self._withdraw()
            self.rounds += 1
            asked = ", ".join(wanted.tool for wanted in turn.wanted)
            arguments = ", ".join(wanted.arguments for wanted in turn.wanted)
            self._end(MODEL, noted("tools", "run.reason.tool_wanted", tools=asked, arguments=arguments))
        return turn

    def call(self, use: ToolUse) -> str:
        self.deps.emit(NodeStarted(TOOLS_NODE, 0))
        tools: Tools = self.request.tools
        try:
            called, _ = tool_call(use, tools, self.state, self.deps)
        except BudgetError as error:
            self.forced = True
            self._end(TOOLS_NODE, noted("limit", error.key))
            return NO_MORE
        self.calls.append(called)
        self.forced = self.forced or self.rounds >= self.deps.max_tool_rounds
        self._end(TOOLS_NODE, noted("limit" if self.forced else "called", "run.reason.tools_called", tools=use.tool))
        return called.result

    def _withdraw(self) -> None:
        if self.shown:
            self.deps.emit(AnswerReset("run.reason.tool_first"))
            self.shown = ""

    def _end(self, node: str, note: Note) -> None:
        self.deps.emit(NodeFinished(node, 0, 0.0, note.outcome, note.reason, note.details))


def _of_use(found: Sequence[ToolUse], request: GraphWalkRequest) -> tuple[ToolUse, ...]:
    """Calls from which the rules can continue: those from the first one that they would have made."""
    (first,) = _first(request)
    return tuple(dropwhile(lambda use: use.tool != first.tool, found))


def _first(request: GraphWalkRequest) -> tuple[ToolUse, ...]:
    """First call by rule, also for a model that answers without having called a tool."""
    tool, arguments = next_call(
        request.tools, ToolSituation(request.question, names=request.names, types=request.types)
    )
    return (ToolUse("call_1", tool, arguments),)
