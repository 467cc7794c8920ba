"""The graph agent with a tool-calling model: LangChain's agent loop over the graph's tools, traced."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import dropwhile

from core.agents.nodes.agent.call_tools import NODE as TOOLS_NODE
from core.agents.nodes.agent.call_tools import is_repeated, tool_call
from core.agents.nodes.agent.think import ModelUse, Tools, failed
from core.agents.nodes.runtime import WrittenText, noted, with_form_requests
from core.agents.state import AgentTurn, Deps, Note, State
from core.agents.tools.registry import next_call
from core.agents.tools.results.graph_answers import knows
from core.agents.tools.tool import ToolSituation
from core.models.agent_ports import Agent, AgentTask, ModelTurn, ToolSchema, ToolUse
from core.models.failures import ToolsUnknownError
from core.platform.errors import BudgetError, ServiceError
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
    names: tuple[str, ...] = ()
    """Entities of the graph in the question, longest first."""


WALK = AgentTask("graph_walk", GraphWalkRequest, max_tokens=3_000)


def graph_walk(state: State, deps: Deps, agent: Agent, request: GraphWalkRequest, tools: Tools) -> ModelUse:
    """Runs the whole loop; if it does not finish, the rules continue step by step."""
    host = _Host(deps, state, request, tools)
    try:
        written = WrittenText(agent.run(WALK, with_form_requests(deps, request), host, deps.meter))
    except ToolsUnknownError:
        return ModelUse(state.agent)
    except (ServiceError, BudgetError) as error:
        deps.meter.degraded(WALK.name, error.key, tuple(error.params.items()))
        partial = host.shown.strip()
        if not partial:
            return failed(host.of_use())
        written = WrittenText(partial, error.key)
    if host.forced and not host.found:
        deps.meter.degraded(WALK.name, "llm.invalid_output")
        return failed()
    return ModelUse(AgentTurn(tuple(host.calls), rounds=host.rounds, forced=host.forced), written)


def _each_once(wanted: Sequence[ToolUse]) -> tuple[ToolUse, ...]:
    """The first call of each tool about the same names; small models request one, two and three hops at once."""
    first: dict[tuple[str, ...], ToolUse] = {}
    for use in wanted:
        names = (value for value in json.loads(use.arguments).values() if isinstance(value, str))
        first.setdefault((use.tool, *names), use)
    return tuple(first.values())


@dataclass
class _Host:
    """Callbacks of the agent loop: tool calls and events of one question."""

    deps: Deps
    state: State
    request: GraphWalkRequest
    offered: Tools
    rounds: int = 0
    calls: list[ToolUse] = field(default_factory=list)
    shown: str = ""
    """Text of the answer shown in this turn."""
    forced: bool = False

    @property
    def tools(self) -> Sequence[ToolSchema]:
        return [tool.schema() for tool in self.offered]

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

    def of_use(self) -> tuple[ToolUse, ...]:
        """Successful calls from the first one that the rules would have made."""
        (first,) = self._first()
        return tuple(dropwhile(lambda use: use.tool != first.tool, self.found))

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
            turn = ModelTurn("", self._first())
        if turn.wanted:
            turn = replace(turn, wanted=_each_once(turn.wanted))
            self._withdraw()
            self.rounds += 1
            asked = ", ".join(wanted.tool for wanted in turn.wanted)
            arguments = ", ".join(wanted.arguments for wanted in turn.wanted)
            self._end(MODEL, noted("tools", "run.reason.tool_wanted", tools=asked, arguments=arguments))
        return turn

    def call(self, use: ToolUse) -> str:
        self.deps.emit(NodeStarted(TOOLS_NODE, 0))
        if is_repeated(use, self.calls):
            return self._no_more("run.reason.tool_repeated", tools=use.tool)
        try:
            called, _ = tool_call(use, self.offered, self.state, self.deps)
        except BudgetError as error:
            return self._no_more(error.key)
        self.calls.append(called)
        self.forced = self.forced or self.rounds >= self.deps.max_tool_rounds
        self._end(TOOLS_NODE, noted("limit" if self.forced else "called", "run.reason.tools_called", tools=use.tool))
        return called.result

    def _no_more(self, reason: str, **details: str) -> str:
        self.forced = True
        self._end(TOOLS_NODE, noted("limit", reason, **details))
        return NO_MORE

    def _first(self) -> tuple[ToolUse, ...]:
        """First call by rule, also for a model that answers without having called a tool."""
        situation = ToolSituation(self.request.question, names=self.request.names, types=self.request.types)
        return (ToolUse("call_1", *next_call(self.offered, situation)),)

    def _withdraw(self) -> None:
        if self.shown:
            self.deps.emit(AnswerReset("run.reason.tool_first"))
            self.shown = ""

    def _end(self, node: str, note: Note) -> None:
        self.deps.emit(NodeFinished(node, 0, 0.0, note.outcome, note.reason, note.details))
