"""A turn of an agent: it requests another tool or answers; shared by all agents."""

import json
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum

from core.agents.intents import A_QUESTION
from core.agents.nodes.agent.tool_agent import ANSWER, ModelUse, ToolAgent, Tools
from core.agents.nodes.answer.direct_answer import asked_back
from core.agents.nodes.answer.remembering_answer import remembering_answer
from core.agents.nodes.plan.detect_language import answer_language
from core.agents.nodes.plan.references import known_names, readings_of
from core.agents.nodes.runtime import ask_model, noted
from core.agents.nodes.understood import understood_in
from core.agents.state import Deps, NodeRuntime, Route, State, Update
from core.agents.tools.registry import session_tools
from core.models.agent_ports import ToolUse
from core.rulebook.messages import resolve
from core.runs.model import Turn

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
