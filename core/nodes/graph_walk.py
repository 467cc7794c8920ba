"""The graph agent's walk with a model: LangChain's loop at a desk with the four tools, told as the trace shows it."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from enum import StrEnum

from core.agents import Agent, AgentTask, ModelTurn
from core.domain.events import AnswerDelta, AnswerReset, Degraded, GraphTouched, NodeFinished, NodeStarted, ToolCalled
from core.domain.runs import Turn
from core.domain.tool_use import ToolUse
from core.errors import BudgetError, ServiceError
from core.llm.failures import ToolsUnknownError
from core.nodes.deciding import Written, noted
from core.nodes.rules.graph_answers import knows
from core.nodes.rules.graph_steps import next_use
from core.state import Deps, Note
from core.tools.graph_toolbox import TOOLS, use

MODEL, TOOLS_NODE = "model", "tools"
NO_MORE = "Error: no further tool may be called. Answer now from what the tools said."


class Thought(StrEnum):
    TOOL = "tool"
    ANSWER = "answer"


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
    history: tuple[Turn, ...] = ()


WALK = AgentTask("graph_walk", GraphWalkRequest)


@dataclass(frozen=True, slots=True)
class Walked:
    calls: tuple[ToolUse, ...]
    """With results."""
    answer: Written | None
    """None when a planner has to go on from the calls."""
    forced: bool = False
    """The answer came when no further tool might be called."""
    tools_known: bool = True
    """The endpoint's model can call tools."""


def graph_walk(deps: Deps, agent: Agent, base_id: str, request: GraphWalkRequest) -> Walked:
    desk = _Desk(deps, base_id, request)
    try:
        answer = Written(agent.walk(WALK, request, desk, deps.meter))
    except ToolsUnknownError:
        return Walked((), None, tools_known=False)
    except (ServiceError, BudgetError) as error:
        deps.meter.degraded(WALK.name, error.key)
        partial = desk.shown.strip()
        if not partial:
            return Walked(desk.made, None)
        answer = Written(partial, error.key)
    if desk.forced and not desk.made:
        deps.meter.degraded(WALK.name, "llm.invalid_output")
        return Walked((), None)
    return Walked(tuple(desk.calls), answer, desk.forced)


class _Desk:
    """The tools of one question, and the events of every turn."""

    tools = TOOLS

    def __init__(self, deps: Deps, base_id: str, request: GraphWalkRequest) -> None:
        self._deps = deps
        self._base_id = base_id
        self._request = request
        self._rounds = 0
        self.calls: list[ToolUse] = []
        self.shown = ""
        """Of the answer, in this turn."""
        self.forced = False

    @property
    def max_turns(self) -> int:
        return self._deps.max_tool_rounds + 1

    @property
    def made(self) -> tuple[ToolUse, ...]:
        """The calls that a planner can go on from."""
        return tuple(filter(knows, self.calls))

    def begin_turn(self) -> bool:
        if self._rounds:
            self._deps.emit(NodeStarted(MODEL, 0))
        return not self.forced

    def say(self, piece: str) -> None:
        """What is said before a tool found something is no answer: it is not shown."""
        if self.made:
            self.shown += piece
            self._deps.emit(AnswerDelta(piece))

    def settle(self, turn: ModelTurn) -> ModelTurn:
        if not turn.wanted and not self.calls and not self.forced:
            turn = ModelTurn("", self._first())
        if turn.wanted:
            self._withdraw()
            self._rounds += 1
            asked = ", ".join(wanted.tool for wanted in turn.wanted)
            arguments = ", ".join(wanted.arguments for wanted in turn.wanted)
            self._end(MODEL, noted(Thought.TOOL, "run.reason.tool_wanted", tools=asked, arguments=arguments))
        return turn

    def call(self, use: ToolUse) -> str:
        deps = self._deps
        deps.emit(NodeStarted(TOOLS_NODE, 0))
        try:
            deps.meter.before_tool(use.tool, use.arguments)
        except BudgetError as error:
            self.forced = True
            deps.emit(Degraded(use.tool, error.key))
            self._end(TOOLS_NODE, noted("limit", error.key))
            return NO_MORE
        text = self._used(use)
        self.forced = self.forced or self._rounds >= deps.max_tool_rounds
        self._end(TOOLS_NODE, noted("limit" if self.forced else "called", "run.reason.tools_called", tools=use.tool))
        return text

    def _used(self, wanted: ToolUse) -> str:
        started = time.perf_counter()
        said = use(self._deps.graph, self._base_id, wanted.tool, wanted.arguments)
        seconds = time.perf_counter() - started
        self._deps.emit(ToolCalled(wanted.tool, wanted.arguments, said.text, seconds, wanted.call_id))
        if said.entity_ids:
            self._deps.emit(GraphTouched(TOOLS_NODE, said.entity_ids))
        self.calls.append(replace(wanted, result=said.text))
        return said.text

    def _first(self) -> tuple[ToolUse, ...]:
        """For a model that would answer before it looked: at least one tool before a factual answer."""
        asked = self._request
        tool, arguments = next_use(asked.question, asked.names, asked.types, ())
        return (ToolUse("call_1", tool, arguments),)

    def _withdraw(self) -> None:
        if self.shown:
            self._deps.emit(AnswerReset("run.reason.tool_first"))
            self.shown = ""

    def _end(self, node: str, note: Note) -> None:
        self._deps.emit(NodeFinished(node, 0, 0.0, note.outcome, note.reason, note.details))
