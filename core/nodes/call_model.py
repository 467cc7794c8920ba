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
from core.nodes.answering import answer_from_evidence, settled_answer
from core.nodes.deciding import decide, noted
from core.nodes.detect_language import language_of
from core.nodes.direct_answer import direct_answer
from core.nodes.plan import MAX_NAMES, MAX_QUERY, Route
from core.nodes.reading import evidence_of
from core.nodes.rules.attributing import attributed
from core.nodes.rules.citing import citations_of
from core.nodes.rules.errands import is_errand
from core.nodes.rules.followups import Names, resolve
from core.nodes.rules.history import cut_history
from core.nodes.rules.questions import strip_frames
from core.nodes.rules.smalltalk import social_act
from core.nodes.tool_turn import ToolTurnRequest, Turned, tool_turn
from core.state import Deps, State, Update
from core.tasks import Task
from core.texts import text
from core.tools.session_tools import session_tools

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

ANSWER = "answer"
PLANNED = "planner"
"""The route of a question for which the built-in rule took over from a model."""
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
    if not state.calls and (social_act(state.question) or is_errand(state.question)):
        route = Route.DIRECT if social_act(state.question) else Route.OUT_OF_SCOPE
        return {**_carried(current), **direct_answer(replace(current, route=route.value), runtime)}
    if _astray(current, deps):
        deps.meter.degraded(STEP.name, "llm.invalid_output")
        current = replace(current, route=PLANNED, calls=(), tool_rounds=0, forced=False)
    turned = _turned(current, deps)
    if turned is not None and turned.fault and not turned.answer:
        current = replace(current, route=PLANNED)
    elif turned is not None and turned.tools_known:
        wanted = turned.wanted if turned.wanted or state.calls else _first(current, deps)
        return {**_carried(current), **(_wanting(wanted) if wanted else _answered(current, runtime, turned))}
    step = None if current.forced else _step(current, deps)
    if step is not None and step.tool != ANSWER:
        return {**_carried(current), **_wanting((_use(step, current),))}
    return {**_carried(current), **_answered(current, runtime, None)}


def _carried(current: State) -> Update:
    """What a turn has settled, whatever it comes to."""
    return {
        "language": current.language,
        "resolved_question": current.resolved_question,
        "route": current.route,
        "calls": current.calls,
        "tool_rounds": current.tool_rounds,
        "forced": current.forced,
        "wanted": (),
    }


def should_continue(state: State) -> Continue:
    return Continue.TOOLS if state.wanted else Continue.END


def _standing(state: State, deps: Deps, history: tuple[Turn, ...]) -> str:
    """The question with its references resolved."""
    found = deps.graph.named_in(state.base_id, "\n".join([*(t.text for t in history), state.question]), MAX_NAMES)
    people = tuple(entity.name for entity in found if entity.type == "PERSON")
    return resolve(state.question, history, Names(tuple(entity.name for entity in found), people))


def _astray(state: State, deps: Deps) -> bool:
    """A model that calls tools itself spent all its rounds on calls that no tool took."""
    if not state.forced or state.route == PLANNED or deps.llm.agent() is None:
        return False
    return all(use.result.startswith("Error") for use in state.calls)


def _turned(state: State, deps: Deps) -> Turned | None:
    """A turn of a model that calls tools itself; None when there is none."""
    agent = deps.llm.agent()
    if agent is None or state.route == PLANNED:
        return None
    tools = () if state.forced else session_tools(deps.library, state.base_id, deps.web is not None)
    request = ToolTurnRequest(
        state.resolved_question, state.language, state.history, _enough(state), _instruction(state)
    )
    return tool_turn(deps, agent, request, tools, state.calls)


def _first(state: State, deps: Deps) -> tuple[ToolUse, ...]:
    """For a model that would answer before it searched."""
    return () if state.forced else (_use(_in_turn(_request(state, deps)), state),)


def _use(step: ToolStep, state: State) -> ToolUse:
    query = step.query.strip()[:MAX_QUERY] or state.resolved_question
    arguments = json.dumps({"query": query}, ensure_ascii=False)
    return ToolUse(f"call_{len(state.calls) + 1}", step.tool[:80], arguments)


def _wanting(wanted: tuple[ToolUse, ...]) -> Update:
    tools, arguments = (", ".join(it) for it in zip(*((use.tool, use.arguments) for use in wanted), strict=True))
    note = noted(Continue.TOOLS, "run.reason.tool_wanted", tools=tools, arguments=arguments)
    return {"wanted": wanted, "note": note}


def _enough(state: State) -> bool:
    return bool(state.kept or state.web)


def _instruction(state: State) -> str:
    if not state.calls:
        return ""
    return ANSWER_NOW if _enough(state) else NOTHING_THERE


def _request(state: State, deps: Deps) -> ToolStepRequest:
    tools = session_tools(deps.library, state.base_id, deps.web is not None)
    return ToolStepRequest(
        question=state.resolved_question,
        tools=tuple(tool.name for tool in tools),
        descriptions=tuple(f"{tool.name}(query): {tool.description}" for tool in tools),
        history=state.history,
        used=state.calls,
        enough=_enough(state),
        instruction=_instruction(state),
    )


def _step(state: State, deps: Deps) -> ToolStep:
    request = _request(state, deps)
    made = _in_turn(request) if state.route == PLANNED else decide(deps, STEP, request)
    return _in_turn(request) if made.tool == ANSWER and not state.calls else made


def _answered(state: State, runtime: Runtime[Deps], turned: Turned | None) -> Update:
    """From the model's own words where it wrote some, else written from the evidence."""
    if _enough(state):
        if turned is not None and turned.answer:
            answered = settled_answer(state, _own(state, runtime, turned), runtime)
        else:
            answered = answer_from_evidence(state, runtime)
        reason = "run.reason.forced" if state.forced else answered["note"].reason
        if answered["outcome"] != AnswerOutcome.NOT_FOUND:
            answered = _with_web_fault(state, runtime.context, answered)
        return {**answered, "note": replace(answered["note"], outcome=Continue.END.value, reason=reason)}
    deps = runtime.context
    base = deps.library.base(state.base_id).name
    update: Update = {"answer": text("answer.not_found.base", state.language, base=base), "citations": ()}
    deps.emit(AnswerReady(update["answer"], ()))
    note = noted(Continue.END, "run.reason.nothing_similar", count=len(state.calls))
    return {**_with_web_fault(state, deps, update), "outcome": AnswerOutcome.NOT_FOUND.value, "note": note}


def _with_web_fault(state: State, deps: Deps, answered: Update) -> Update:
    """The answer, and why the web did not help with it, if that is so."""
    if not state.web_fault:
        return answered
    answer = f"{answered['answer']}\n\n{text(state.web_fault, state.language)}"
    deps.emit(AnswerReady(answer, answered["citations"], answered.get("unsupported", ())))
    return {**answered, "answer": answer}


def _own(state: State, runtime: Runtime[Deps], turned: Turned) -> Update:
    """The model's words, each sentence tied to the passage that bears it out."""
    ranked = [hit.chunk_id for hit in state.hits]
    answer, passages = attributed(turned.answer, evidence_of(state, runtime.context), ranked)
    return {
        "answer": answer,
        "citations": citations_of(answer, passages),
        "interrupted": bool(turned.fault),
        "verdict_reason": turned.fault,
    }
