"""What the graph tells where no passage answers: how things are connected, what there is, and how much."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from core.builtin.graph.answers import from_tools, knows
from core.builtin.graph.cues import asks_overview, listed_type
from core.builtin.intent.questions import Kind, essence, kind_of
from core.builtin.intent.routing import calls_for_graph
from core.domain.events import GraphTouched
from core.domain.knowledge import Entity
from core.domain.runs import AnswerOutcome
from core.domain.tool_use import ToolUse
from core.language.terms import content_terms
from core.nodes.agent.graph_cited import graph_cited
from core.nodes.agent.graph_ways import ends_of, graph_ways
from core.state import Deps, Draft, State
from core.tools.describe_graph import describe_graph
from core.tools.get_entities_by_type import GetEntitiesByType, get_entities_by_type
from core.tools.tool import NoArguments, ToolOutcome


def graph_told(state: State, deps: Deps, node: str) -> Draft | None:
    """None where the graph does not answer the question either."""
    question = state.standalone_question
    ends = ends_of(deps, state.base_id, question)
    names = tuple(entity.name for entity in ends)
    if len(names) > 1 and calls_for_graph(question, names):
        ways = graph_ways(deps, state.base_id, question, state.language)
        deps.emit(GraphTouched(node, tuple(entity.id for entity in ends)))
        return _draft(state, deps, ends, "\n\n".join(ways))
    outcome = _listing(state, deps, question, names)
    use = ToolUse("graph", "graph", "{}", result=outcome.text if outcome else "")
    if outcome is None or not knows(use):
        return None
    deps.emit(GraphTouched(node, outcome.entity_ids))
    return _draft(state, deps, (), "".join(from_tools(question, state.language, (), [use])))


def _listing(state: State, deps: Deps, question: str, names: Sequence[str]) -> ToolOutcome | None:
    """A list only where nothing but the kind of thing is asked for, unlike in "which companies supply steel"."""
    if asks_overview(question):
        return describe_graph(NoArguments(), state, deps)
    if names or kind_of(question) is not Kind.LIST or len(content_terms(essence(question))) != 1:
        return None
    wanted = listed_type(question, (), [type for type, _ in deps.graph.stats(state.base_id).types])
    return get_entities_by_type(GetEntitiesByType(entity_type=wanted), state, deps) if wanted else None


def _draft(state: State, deps: Deps, topic: Sequence[Entity], answer: str) -> Draft:
    marked, citations = graph_cited(deps, state.base_id, topic, answer)
    told = replace(state.draft, answer=marked, citations=citations, unsupported=(), parts=())
    return replace(told, outcome=AnswerOutcome.ANSWERED)
