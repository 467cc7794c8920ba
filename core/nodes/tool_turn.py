"""One turn of the tool loop's model with the session's tools bound: it asks for some of them, or answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.agents import Agent, AgentTask, Tool, TurnOrder
from core.domain.events import AnswerDelta, AnswerReset
from core.domain.runs import Turn
from core.domain.tool_use import ToolUse
from core.errors import BudgetError, ServiceError
from core.llm.failures import ToolsUnknownError
from core.state import Deps
from core.tools.session_tools import SessionTool

QUERY = {
    "type": "object",
    "properties": {"query": {"type": "string", "description": "what to search for"}},
    "required": ["query"],
}


@dataclass(frozen=True, slots=True)
class ToolTurnRequest:
    question: str
    language: str
    history: tuple[Turn, ...] = ()
    enough: bool = False
    """A result is similar enough to answer from."""
    instruction: str = ""


TURN = AgentTask("tool_turn", ToolTurnRequest)


@dataclass(frozen=True, slots=True)
class Turned:
    wanted: tuple[ToolUse, ...] = ()
    answer: str = ""
    """As far as it came."""
    fault: str = ""
    """Catalogue key of what broke the turn off."""
    tools_known: bool = True


def tool_turn(
    deps: Deps, agent: Agent, request: ToolTurnRequest, tools: Sequence[SessionTool], used: Sequence[ToolUse]
) -> Turned:
    """What is said before a result suffices (enough) is no answer: it is not shown."""
    shown: list[str] = []

    def say(piece: str) -> None:
        if request.enough:
            shown.append(piece)
            deps.emit(AnswerDelta(piece))

    declared = [Tool(tool.name, tool.description, QUERY) for tool in tools]
    try:
        turn = agent.turn(TURN, request, TurnOrder(declared, used, say), deps.meter)
    except ToolsUnknownError:
        return Turned(tools_known=False)
    except (ServiceError, BudgetError) as error:
        deps.meter.degraded(TURN.name, error.key)
        return Turned(answer="".join(shown).strip(), fault=error.key)
    if turn.wanted and shown:
        deps.emit(AnswerReset("run.reason.tool_first"))
    return Turned(_named_apart(turn.wanted, used), "" if turn.wanted else turn.text)


def _named_apart(wanted: Sequence[ToolUse], used: Sequence[ToolUse]) -> tuple[ToolUse, ...]:
    """With ids that no earlier call of the question has."""
    taken = {use.call_id for use in used}
    return tuple(
        replace(use, call_id=f"{use.call_id}_{len(used) + at}") if use.call_id in taken else use
        for at, use in enumerate(wanted, 1)
    )
