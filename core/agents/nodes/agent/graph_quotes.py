"""Passages for who and what questions without a model: those that mention the question's entities."""

from core.agents.nodes.evidence import passages_of, view_of
from core.agents.nodes.runtime import MAX_NAMES
from core.agents.nodes.search.grade_evidence import sift
from core.agents.state import Deps, State
from core.agents.tools.get_entities_by_type import NAME as LISTING_TOOL
from core.agents.tools.results.graph_answers import knows
from core.agents.tools.results.graph_cues import asks_overview, listed_type, names_something
from core.rulebook.messages import Question
from core.rulebook.model import QuestionKind
from core.search.model import Hit

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
