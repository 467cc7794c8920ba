"""The agent's turn: it asks for one more tool, or writes the answer; never an empty one."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from core.domain.events import AnswerReady
from core.domain.runs import AnswerOutcome, Turn
from core.domain.tool_use import ToolUse
from core.nodes.answering import answer_from_evidence
from core.nodes.deciding import decide, noted
from core.nodes.detect_language import language_of
from core.nodes.direct_answer import direct_answer
from core.nodes.plan import MAX_NAMES, MAX_QUERY, Route
from core.nodes.rules.errands import is_errand
from core.nodes.rules.followups import Names, resolve
from core.nodes.rules.history import cut_history
from core.nodes.rules.questions import strip_frames
from core.nodes.rules.smalltalk import social_act
from core.state import Deps, State, Update
from core.tasks import Task
from core.texts import text
from core.tools.session_tools import session_tools

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

ANSWER = "answer"
ANSWER_NOW = "The best result is similar enough: answer from the results now."
NOTHING_THERE = "No result is similar enough: try another tool, or tell the user that nothing was found."


class Continue(StrEnum):
    TOOLS = "tools"
    END = "end"


@dataclass(frozen=True, slots=True)
class ToolStepRequest:
    question: str
    tools: tuple[str, ...]
    """Names of the tools of this session, in the order in which they are tried."""
    descriptions: tuple[str, ...]
    history: tuple[Turn, ...] = ()
    used: tuple[ToolUse, ...] = ()
    """Of this question only, with results."""
    enough: bool = False
    """A result is similar enough to answer from."""
    instruction: str = ""


class ToolStep(BaseModel):
    """The next step of an agent with search tools."""

    tool: str = Field(description="the name of the tool to call next, or answer")
    query: str = Field(default="", description="what to search for; empty for answer")


def _in_turn(request: ToolStepRequest) -> ToolStep:
    """Each tool once with the question, until one brought enough."""
    asked = {use.tool for use in request.used}
    untried = next((tool for tool in request.tools if tool not in asked), "")
    if request.enough or not untried:
        return ToolStep(tool=ANSWER)
    return ToolStep(tool=untried, query=strip_frames(request.question)[:MAX_QUERY])


STEP = Task("call_model", ToolStep, _in_turn)


def call_model(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    history = cut_history(state.history)
    earlier = [turn.text for turn in history if turn.role == "user"]
    language = state.language if state.calls else language_of(state.question, earlier)
    current = replace(state, history=history, language=language, resolved_question=_standing(state, deps, history))
    settled: Update = {"language": language, "resolved_question": current.resolved_question, "wanted": ()}
    if not state.calls and (social_act(state.question) or is_errand(state.question)):
        route = Route.DIRECT if social_act(state.question) else Route.OUT_OF_SCOPE
        return {**settled, **direct_answer(replace(current, route=route.value), runtime)}
    step = None if state.forced else _step(current, deps)
    if step is not None and step.tool != ANSWER:
        query = step.query.strip()[:MAX_QUERY] or current.resolved_question
        arguments = json.dumps({"query": query}, ensure_ascii=False)
        use = ToolUse(f"call_{len(state.calls) + 1}", step.tool[:80], arguments)
        note = noted(Continue.TOOLS, "run.reason.tool_wanted", tools=use.tool, arguments=use.arguments)
        return {**settled, "wanted": (use,), "query": query, "note": note}
    return {**settled, **_answered(current, runtime)}


def should_continue(state: State) -> Continue:
    return Continue.TOOLS if state.wanted else Continue.END


def _standing(state: State, deps: Deps, history: tuple[Turn, ...]) -> str:
    """The question with its references resolved."""
    found = deps.graph.named_in(state.base_id, "\n".join([*(t.text for t in history), state.question]), MAX_NAMES)
    people = tuple(entity.name for entity in found if entity.type == "PERSON")
    return resolve(state.question, history, Names(tuple(entity.name for entity in found), people))


def _step(state: State, deps: Deps) -> ToolStep:
    tools = session_tools(deps.library, state.base_id, deps.web is not None)
    enough = bool(state.kept or state.web)
    request = ToolStepRequest(
        question=state.resolved_question,
        tools=tuple(tool.name for tool in tools),
        descriptions=tuple(f"{tool.name}(query): {tool.description}" for tool in tools),
        history=state.history,
        used=state.calls,
        enough=enough,
        instruction=(ANSWER_NOW if enough else NOTHING_THERE) if state.calls else "",
    )
    made = decide(deps, STEP, request)
    return _in_turn(request) if made.tool == ANSWER and not state.calls else made


def _answered(state: State, runtime: Runtime[Deps]) -> Update:
    if state.kept or state.web:
        answered = answer_from_evidence(state, runtime)
        reason = "run.reason.forced" if state.forced else answered["note"].reason
        return {**answered, "note": replace(answered["note"], outcome=Continue.END.value, reason=reason)}
    deps = runtime.context
    base = deps.library.base(state.base_id).name
    answer = text("answer.not_found.base", state.language, base=base)
    deps.emit(AnswerReady(answer, ()))
    note = noted(Continue.END, "run.reason.nothing_similar", count=len(state.calls))
    return {"answer": answer, "citations": (), "outcome": AnswerOutcome.NOT_FOUND.value, "note": note}
