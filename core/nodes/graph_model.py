"""The graph agent's thinking: the next tool to call, or the answer from what the tools said."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from core.domain.runs import Turn
from core.domain.tool_use import ToolUse
from core.nodes.deciding import Written, decide, noted
from core.nodes.detect_language import language_of
from core.nodes.direct_answer import direct_answer
from core.nodes.graph_answer import GraphAnswerRequest, graph_answer, written_by_model, written_by_rule
from core.nodes.graph_walk import GraphWalkRequest, Thought, Walked, graph_walk
from core.nodes.plan import MAX_NAMES, Route
from core.nodes.rules.followups import Names, resolve
from core.nodes.rules.graph_steps import next_use
from core.nodes.rules.smalltalk import social_act
from core.state import Deps, State, Update
from core.tasks import Task
from core.tools.describe_graph import density

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


PLANNED = "planner"
"""The route of a question for which the built-in planner took over from a model."""


class Step(StrEnum):
    SEARCH_ENTITIES = "search_entities"
    GET_NEIGHBORS = "get_neighbors"
    GET_ENTITIES_BY_TYPE = "get_entities_by_type"
    DESCRIBE_GRAPH = "describe_graph"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class GraphRequest:
    question: str
    nodes: int
    edges: int
    density: float
    types: tuple[str, ...]
    names: tuple[str, ...] = ()
    """Entities of the graph in the question, longest first."""
    history: tuple[Turn, ...] = ()
    used: tuple[ToolUse, ...] = ()
    """Tools called so far, with what they said."""


class GraphStep(BaseModel):
    """The next step of an agent that walks a knowledge graph."""

    step: Step = Field(description="the tool to call next, or answer when the results so far suffice")
    query: str = Field(default="", description="for search_entities: a part of the name")
    entity_name: str = Field(default="", description="for get_neighbors: the entity to start from")
    hops: int = Field(default=1, description="for get_neighbors: 1 to 3")
    entity_type: str = Field(default="", description="for get_entities_by_type")


def _by_cues(request: GraphRequest) -> GraphStep:
    tool, arguments = next_use(request.question, request.names, request.types, request.used)
    return GraphStep(step=Step(tool), **json.loads(arguments)) if tool else GraphStep(step=Step.ANSWER)


THINK = Task("graph_model", GraphStep, _by_cues)


def graph_model(state: State, runtime: Runtime[Deps]) -> Update:
    """With a model that calls tools the whole walk; else the next step, decided by the model or by the planner."""
    deps = runtime.context
    request = _request(state, deps)
    language = language_of(state.question, [turn.text for turn in state.history if turn.role == "user"])
    if not state.calls and social_act(state.question):
        direct = replace(state, route=Route.DIRECT.value, language=language)
        return {**direct_answer(direct, runtime), "language": language}
    settled: Update = {"language": language, "resolved_question": request.question, "wanted": ()}
    current = replace(state, language=language)
    walked = _walked(current, deps, request)
    if walked is not None:
        current = replace(current, calls=walked.calls, forced=walked.forced)
        request = replace(request, used=walked.calls)
        if walked.answer is not None:
            return {**settled, "calls": walked.calls, **_answered(current, deps, request, walked.answer)}
        current = replace(current, route=PLANNED if walked.tools_known else "")
        settled = {**settled, "calls": walked.calls, "route": current.route}
    use = None if current.forced else _next(current, deps, request)
    if use is not None:
        note = noted(Thought.TOOL, "run.reason.tool_wanted", tools=use.tool, arguments=use.arguments)
        return {**settled, "wanted": (use,), "note": note}
    asked = _asked(request, language)
    written = written_by_rule if current.route == PLANNED else written_by_model
    return {**settled, **_answered(current, deps, request, written(deps, asked))}


def _walked(state: State, deps: Deps, request: GraphRequest) -> Walked | None:
    """None when no model can walk, or when the steps are taken one by one already."""
    agent = deps.llm.agent()
    if agent is None or state.calls or state.forced or state.route:
        return None
    walk = GraphWalkRequest(
        question=request.question,
        language=state.language,
        nodes=request.nodes,
        edges=request.edges,
        density=request.density,
        types=request.types,
        names=request.names,
        history=request.history,
    )
    return graph_walk(deps, agent, state.base_id, walk)


def _next(state: State, deps: Deps, request: GraphRequest) -> ToolUse | None:
    made = _by_cues(request) if state.route == PLANNED else decide(deps, THINK, request)
    if made.step is Step.ANSWER and not state.calls:
        made = _by_cues(request)
    if made.step is Step.ANSWER:
        return None
    return ToolUse(f"call_{len(state.calls) + 1}", made.step.value, _arguments(made))


def _answered(state: State, deps: Deps, request: GraphRequest, written: Written) -> Update:
    update = graph_answer(deps, state.base_id, _asked(request, state.language), written)
    reason = written.fault or ("run.reason.forced" if state.forced else "run.reason.graph_answered")
    details = {"count": len(request.used), "unsupported": len(update["unsupported"]) or ""}
    return {**update, "note": noted(Thought.ANSWER, reason, **details)}


def _asked(request: GraphRequest, language: str) -> GraphAnswerRequest:
    return GraphAnswerRequest(request.question, language, request.names, request.history, request.used)


def after_model(state: State) -> Thought:
    return Thought.TOOL if state.wanted else Thought.ANSWER


def _request(state: State, deps: Deps) -> GraphRequest:
    stats = deps.graph.stats(state.base_id)
    earlier = [turn.text for turn in state.history if turn.role == "user"]
    found = deps.graph.named_in(state.base_id, "\n".join([*earlier, state.question]), MAX_NAMES)
    names = Names(tuple(e.name for e in found), tuple(e.name for e in found if e.type == "PERSON"))
    question = resolve(state.question, state.history, names)
    own = tuple(name for name in names.things if name.casefold() in question.casefold())
    return GraphRequest(
        question=question,
        nodes=stats.entities,
        edges=stats.relations,
        density=round(density(stats), 4),
        types=tuple(type for type, _ in stats.types),
        names=own,
        history=state.history,
        used=state.calls,
    )


def _arguments(step: GraphStep) -> str:
    given: dict[str, object] = {}
    match step.step:
        case Step.SEARCH_ENTITIES:
            given = {"query": step.query}
        case Step.GET_NEIGHBORS:
            given = {"entity_name": step.entity_name, "hops": step.hops}
        case Step.GET_ENTITIES_BY_TYPE:
            given = {"entity_type": step.entity_type}
    return json.dumps(given, ensure_ascii=False)
