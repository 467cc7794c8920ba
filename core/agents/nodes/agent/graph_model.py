"""Node of the graph agent: explores the knowledge graph with tools and answers from their results."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.agents.nodes.agent.call_tools import call_tools
from core.agents.nodes.agent.graph_answer import (
    GraphAnswerRequest,
    graph_answer,
    graph_ways,
    written_by_model,
    written_by_rule,
)
from core.agents.nodes.agent.graph_walk import GraphWalkRequest, graph_walk
from core.agents.nodes.agent.think import Continue, ModelUse, ToolAgent, Tools, ToolStep, step_by_rule, think
from core.agents.nodes.answer.not_found import answer_from_evidence, closest_by_rules
from core.agents.nodes.evidence import passages_of, view_of
from core.agents.nodes.runtime import MAX_NAMES, WrittenText, noted
from core.agents.nodes.search.grade_evidence import sift
from core.agents.state import Deps, Draft, NodeRuntime, State, Update
from core.agents.tools.describe_graph import NAME as DESCRIBE_GRAPH
from core.agents.tools.describe_graph import density, graph_groups
from core.agents.tools.get_entities_by_type import NAME as LISTING_TOOL
from core.agents.tools.results.graph_answers import Numbered, knows
from core.agents.tools.results.graph_cues import asks_overview, listed_type, names_something
from core.agents.tools.results.graph_statements import graph_statements
from core.agents.tools.tool import AnyTool, Toolset, ToolSituation
from core.models.agent_ports import ToolUse
from core.models.ports import BUILT_IN
from core.models.tasks import Task
from core.platform.texts import text
from core.rulebook.messages import Question
from core.rulebook.model import QuestionKind
from core.rulebook.quotes import readable
from core.runs.events import GraphTouched
from core.runs.model import AnswerOutcome, Turn
from core.search.model import Hit

_NAME_ARGUMENTS = ("query", "entity_name")


@dataclass(frozen=True, slots=True)
class GraphRequest:
    question: str
    nodes: int
    edges: int
    density: float
    types: tuple[str, ...]
    tools: tuple[AnyTool, ...]
    names: tuple[str, ...] = ()
    """Entities of the graph in the question, longest first."""
    history: tuple[Turn, ...] = ()
    used: tuple[ToolUse, ...] = ()
    """Tools called so far, with results."""


def _by_cues(request: GraphRequest) -> ToolStep:
    situation = ToolSituation(request.question, names=request.names, types=request.types, used=request.used)
    return step_by_rule(request.tools, situation)


STEP = Task("graph_model", ToolStep, _by_cues, max_tokens=500)


def _request(state: State, deps: Deps, tools: Tools) -> GraphRequest:
    stats = deps.graph.stats(state.base_id)
    return GraphRequest(
        question=state.resolved_question,
        nodes=stats.entities,
        edges=stats.relations,
        density=round(density(stats), 4),
        types=tuple(type for type, _ in stats.types),
        tools=tools,
        names=_names(state, deps),
        history=state.history,
        used=state.agent.calls,
    )


def _names(state: State, deps: Deps) -> tuple[str, ...]:
    question = state.resolved_question
    found = deps.graph.named_in(state.base_id, question, MAX_NAMES)
    return tuple(entity.name for entity in found if entity.name.casefold() in question.casefold())


def _use_model(state: State, deps: Deps, tools: Tools) -> ModelUse | None:
    """Runs the whole agent loop; None if the model cannot call tools or steps were already taken by rules."""
    agent = deps.llm.agent()
    if agent is None or state.agent.calls or state.agent.forced:
        return None
    known = _request(state, deps, tools)
    request = GraphWalkRequest(
        question=known.question,
        language=state.language,
        nodes=known.nodes,
        edges=known.edges,
        density=known.density,
        types=known.types,
        names=known.names,
    )
    return graph_walk(state, deps, agent, request, tools)


def _connections(state: State, deps: Deps) -> tuple[str, ...]:
    """Connections of the entities in the question; without entities, groups of the graph if it was described."""
    ways = graph_ways(deps, state.base_id, state.resolved_question, state.language)
    described = any(use.tool == DESCRIBE_GRAPH for use in state.agent.calls)
    return graph_groups(deps, state.base_id, state.language) if described and not ways else ways


def _answer(state: State, runtime: NodeRuntime, written: WrittenText | None) -> Update:
    deps = runtime.context
    by_rule = deps.llm.engine == BUILT_IN or (state.agent.by_rule and written is None)
    is_asked = not by_rule or asks_for_entities(state, deps)
    if by_rule and (found := _found_by_rule(state, runtime, is_asked)):
        return found
    request = GraphAnswerRequest(
        question=state.resolved_question,
        language=state.language,
        names=_names(state, deps),
        history=state.history,
        used=state.agent.calls,
        connections=_connections(state, deps),
    )
    if written is None:
        written = (written_by_rule if state.agent.by_rule else written_by_model)(deps, request)
    draft, gaps = graph_answer(deps, state.base_id, request, written), _gaps(state, deps)
    draft = _weighed(state, draft, gaps, is_asked=is_asked)
    reason = written.fault or ("run.reason.forced" if state.agent.forced else "run.reason.graph_answered")
    details = {"count": len(state.agent.calls), "unsupported": len(draft.unsupported) or ""}
    return draft.shown_with(noted(Continue.END, reason, **details))


def _weighed(state: State, draft: Draft, gaps: Sequence[str], *, is_asked: bool) -> Draft:
    """Adds names that the graph does not have; such an answer only counts as the closest."""
    if draft.outcome is AnswerOutcome.ANSWERED and gaps:
        unknown = (text("answer.graph.unknown", state.language, topic=it) for it in gaps if it not in draft.answer)
        draft = replace(draft, answer="\n\n".join([draft.answer, *unknown]))
    is_sure = is_asked and not gaps and not lists_too_much(state)
    return draft if is_sure else _as_closest(draft, state.language)


def _found_by_rule(state: State, runtime: NodeRuntime, is_asked: bool) -> Update | None:
    """An answer from statements or documents about the question's entities; None if only the tools' results answer."""
    stated = _stated(state, runtime.context)
    if stated and stated["draft"].outcome is AnswerOutcome.ANSWERED:
        return stated
    if is_asked and stated is None:
        return None
    return _of_documents(state, runtime) or stated


def _stated(state: State, deps: Deps) -> Update | None:
    """Statements of the documents, or that there are none; None for other questions."""
    numbered, question = Numbered(), state.resolved_question
    named = deps.graph.named_in(state.base_id, question, MAX_NAMES)
    found = graph_statements(deps, state.base_id, question, state.language, named, numbered)
    if found is None:
        return None
    none = text("answer.graph.none_said", state.language, name=readable(found.entity.name))
    outcome = AnswerOutcome.ANSWERED if found.answer else AnswerOutcome.NOT_FOUND
    draft = Draft(found.answer or none, numbered.citations(found.answer), outcome=outcome)
    deps.emit(GraphTouched(STEP.name, tuple(entity.id for entity in found.entities)))
    reason = "run.reason.graph_stated" if found.answer else "run.reason.graph_unstated"
    return draft.shown_with(noted(Continue.END, reason, citations=len(draft.citations)))


def _of_documents(state: State, runtime: NodeRuntime) -> Update | None:
    """An answer of the rules from passages that mention the question's entities, or the closest passages."""
    deps = runtime.context
    if quotable := graph_quotes(state, deps):
        answered = answer_from_evidence(replace(state, search=replace(state.search, kept=quotable)), runtime)
        note = replace(answered["note"], outcome=Continue.END.value)
        return {**answered, "shown": answered["draft"].published(), "note": note}
    closest = closest_by_rules(replace(state, search=replace(state.search, hits=near_passages(state, deps))), deps)
    if closest is None:
        return None
    return closest.shown_with(noted(Continue.END, "run.reason.closest"))


def _as_closest(draft: Draft, language: str) -> Draft:
    """Marks an answer about the names of the question as merely the closest."""
    if draft.outcome is not AnswerOutcome.ANSWERED:
        return draft
    answer = f"{text('answer.graph.unsure', language)}\n\n{draft.answer}"
    return replace(draft, answer=answer, outcome=AnswerOutcome.CLOSEST)


def _gaps(state: State, deps: Deps) -> tuple[str, ...]:
    """Names in a comparison or connection for which neither a tool nor the graph has anything, each once.

    An answer that ignored them would be about one side alone.
    """
    if Question(state.resolved_question).kind not in {QuestionKind.COMPARISON, QuestionKind.RELATION}:
        return ()
    found = (name for name in _names_asked(state) if name and not _is_there(name, state, deps))
    return tuple(dict.fromkeys(found))


def _names_asked(state: State) -> Iterator[str]:
    yield from (name.rstrip(".,?!") for name in Question(state.resolved_question).names)
    for use in state.agent.calls:
        given = json.loads(use.arguments)
        yield from (str(given[key]) for key in _NAME_ARGUMENTS if given.get(key) and not knows(use))


def _is_there(name: str, state: State, deps: Deps) -> bool:
    graph, base_id = deps.graph, state.base_id
    return bool(graph.search(base_id, name, 1) or graph.named_in(base_id, name, 1) or graph.alike(base_id, name, 1))


GRAPH_AGENT = ToolAgent(
    toolset=Toolset.GRAPH,
    step=STEP,
    request=_request,
    use_model=_use_model,
    answer=_answer,
)


def graph_model(state: State, runtime: NodeRuntime) -> Update:
    return think(GRAPH_AGENT, state, runtime)


def graph_tools(state: State, runtime: NodeRuntime) -> Update:
    return call_tools(GRAPH_AGENT.toolset, state, runtime)


MOST_PASSAGES, MOST_MENTIONS = 12, 500
OTHERS = 0.1
"""Factor of the score of a passage that only mentions the entities."""
LISTED = {QuestionKind.RELATION, QuestionKind.OVERVIEW, QuestionKind.COMPARISON}
"""Kinds of questions that ask for entities, which the tools' results answer."""


def graph_quotes(state: State, deps: Deps) -> tuple[Hit, ...]:
    """Passages to quote from; empty if the tools found nothing, their lists answer, or nothing surely does."""
    if not any(map(knows, state.agent.calls)) or asks_for_entities(state, deps):
        return ()
    kept, _ = sift(state.resolved_question, passages_of(mentioning(state, deps), deps), deps.readings)
    if not kept or not view_of(state.resolved_question, kept, deps).is_answered:
        return ()
    return tuple(Hit(passage.chunk.id, passage.score, passage.sources) for passage in kept)


def mentioning(state: State, deps: Deps) -> tuple[Hit, ...]:
    """Passages that mention the question's entities: first those that a search finds, then those with most entities."""
    named = deps.graph.named_in(state.base_id, state.resolved_question, MAX_NAMES)
    mentions = dict(deps.graph.chunks_of([entity.id for entity in named], MOST_MENTIONS))
    near = [hit for hit in _found(state, deps) if hit.chunk_id in mentions] if mentions else []
    known = {hit.chunk_id for hit in near}
    others = [Hit(id, number / len(named) * OTHERS, ("graph",)) for id, number in mentions.items() if id not in known]
    return (*near, *others)[:MOST_PASSAGES]


def near_passages(state: State, deps: Deps) -> tuple[Hit, ...]:
    """Passages that mention the question's entities; without entities, results of a search."""
    return mentioning(state, deps) or _found(state, deps)


def _found(state: State, deps: Deps) -> tuple[Hit, ...]:
    return tuple(deps.retriever.graph(state.base_id, state.resolved_question, MOST_PASSAGES))


def asks_for_entities(state: State, deps: Deps) -> bool:
    """Whether the question asks for entities, which the tools list, or only names one."""
    question = state.resolved_question
    names = [entity.name for entity in deps.graph.named_in(state.base_id, question, MAX_NAMES)]
    kind, said = Question(question).kind, Question(question).essence.casefold()
    return (
        kind in LISTED
        or (kind is QuestionKind.LIST and not names_something(question))
        or asks_overview(question)
        or bool(listed_type(question, names, ()))
        or said in {name.casefold() for name in names}
    )


def lists_too_much(state: State) -> bool:
    """Whether all entities of a type were listed for a question about a named thing."""
    known = [use for use in state.agent.calls if knows(use)]
    is_listed = bool(known) and all(use.tool == LISTING_TOOL for use in known)
    return is_listed and names_something(state.resolved_question)
