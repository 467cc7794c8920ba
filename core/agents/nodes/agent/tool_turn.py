"""One turn of the tool loop's model with the session's tools bound."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.agents.nodes.agent.think import ModelUse, Tools, failed
from core.agents.nodes.runtime import WrittenText, with_form_requests
from core.agents.state import Deps, State
from core.agents.tools.registry import next_call
from core.agents.tools.tool import ToolSituation
from core.models.agent_ports import Agent, AgentTask, ToolUse, TurnRequest
from core.models.failures import ToolsUnknownError
from core.platform.errors import BudgetError, ServiceError
from core.runs.events import AnswerDelta, AnswerReset


@dataclass(frozen=True, slots=True)
class ToolTurnRequest:
    question: str
    language: str


TURN = AgentTask("tool_turn", ToolTurnRequest, max_tokens=3_000)


def tool_turn(state: State, deps: Deps, agent: Agent, tools: Tools, enough: bool, instruction: str) -> ModelUse:
    """One turn. Text before a result suffices (`enough`) is not an answer and is not shown.

    tools: none when the answer is due. instruction: follows the last result, so that the earlier prompt stays unchanged
    and cached.
    """
    current = state.agent
    if current.forced and all(use.result.startswith("Error") for use in current.calls):
        deps.meter.degraded(TURN.name, "llm.invalid_output")
        return failed()
    shown: list[str] = []

    def say(piece: str) -> None:
        if enough:
            shown.append(piece)
            deps.emit(AnswerDelta(piece))

    used = _instructed(current.calls, instruction)
    order = TurnRequest([tool.schema() for tool in tools], state.history, used, say)
    request = ToolTurnRequest(state.resolved_question, state.language)
    try:
        turn = agent.turn(TURN, with_form_requests(deps, request), order, deps.meter)
    except ToolsUnknownError:
        return ModelUse(current)
    except (ServiceError, BudgetError) as error:
        deps.meter.degraded(TURN.name, error.key, tuple(error.params.items()))
        partial = "".join(shown).strip()
        written = WrittenText(partial, error.key) if partial else None
        return ModelUse(replace(current, by_rule=written is None), written)
    if turn.wanted and shown:
        deps.emit(AnswerReset("run.reason.tool_first"))
    wanted = _named_apart(turn.wanted, current.calls)
    if not wanted and not current.calls and not current.forced:
        wanted = _first(request.question, tools, turn.text)
    return ModelUse(replace(current, wanted=wanted)) if wanted else ModelUse(current, WrittenText(turn.text))


def _instructed(calls: Sequence[ToolUse], instruction: str) -> Sequence[ToolUse]:
    if not calls:
        return calls
    return (*calls[:-1], replace(calls[-1], result=f"{calls[-1].result}\n\n{instruction}"))


def _first(question: str, tools: Tools, said: str) -> tuple[ToolUse, ...]:
    """First call for a model that answers without a search: of the only tool that its text names, else by rule."""
    situation = ToolSituation(question)
    named = [tool for tool in tools if tool.name in said]
    return (ToolUse("call_1", *next_call(named if len(named) == 1 else tools, situation)),)


def _named_apart(wanted: Sequence[ToolUse], used: Sequence[ToolUse]) -> tuple[ToolUse, ...]:
    """Gives the calls ids that no earlier call of the question has."""
    taken = {use.call_id for use in used}
    return tuple(
        replace(use, call_id=f"{use.call_id}_{len(used) + at}") if use.call_id in taken else use
        for at, use in enumerate(wanted, 1)
    )
