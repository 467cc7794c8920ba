"""Recognises questions that the built-in engine answers from the graph alone."""

from __future__ import annotations

from collections.abc import Sequence

from core.agents.nodes.plan.references import entities_named
from core.agents.nodes.runtime import MAX_NAMES, asked_once
from core.agents.state import SEARCHES, Deps, SearchState, State
from core.agents.tools.results.graph_statements import graph_statements
from core.documents.model import DocumentFilter, DocumentStatus
from core.graph.model import ENTITY_TYPES, Entity
from core.graph.questions import GraphAsked, GraphQuestion
from core.models.ports import BUILT_IN, GraphQuestionReader
from core.rulebook.graph.forms import named_by_form
from core.rulebook.graph.masking import masked_beside, masked_names, masked_type, words_of_one
from core.rulebook.graph.numbered import Numbered
from core.rulebook.understanding.question_splitting import parts_of
from core.rulebook.understanding.questions import strip_frames

MANY = 200
"""Documents among which one can be identified by a word of its name."""


def asked_of_graph(state: State, deps: Deps, question: str, search: SearchState) -> GraphAsked | None:
    """What the question asks of the graph; None for other questions, and within chosen documents or entities."""
    reader = deps.graph_questions if deps.llm.engine == BUILT_IN else None
    if reader is None or not _may_be_asked(state, question, search):
        return None
    if reader.of(strip_frames(question)) is GraphQuestion.OVERVIEW:
        return GraphAsked(whole=True)
    found = entities_named(question, state, deps)[:MAX_NAMES]
    if asked := _connection(reader, question, found):
        return asked
    if names := named_by_form(question):
        return GraphAsked(names=names)
    if stated := graph_statements(deps, state.base_id, question, state.language, found, Numbered()):
        return GraphAsked(entities=(stated.entity.id,), statement=True) if stated.answer else None
    base = asked_once(deps, deps.bases.get, state.base_id)
    types = list(dict.fromkeys([*ENTITY_TYPES, *base.entity_types]))
    beside = None if search.documents else _beside(reader, question, found, types)
    listed = beside or _list(deps, reader, question, search, types)
    return listed or _list_of_one(state, deps, reader, question, types)


def _may_be_asked(state: State, question: str, search: SearchState) -> bool:
    """Whether it is one question for a search that is not limited to documents or entities."""
    return search.route in SEARCHES and not state.options.is_limited and not parts_of(question)


def _connection(reader: GraphQuestionReader, question: str, found: Sequence[Entity]) -> GraphAsked | None:
    named = [each for each in found if not reader.is_frame(GraphQuestion.CONNECTION, each.name)]
    masked = masked_names(question, named) if len(named) > 1 else None
    if masked is None or reader.of(masked.question) is not GraphQuestion.CONNECTION:
        return None
    return GraphAsked(entities=tuple(entity.id for entity in masked.entities))


def _beside(
    reader: GraphQuestionReader, question: str, found: Sequence[Entity], types: Sequence[str]
) -> GraphAsked | None:
    named = [each for each in found if not reader.is_frame(GraphQuestion.BESIDE, each.name)]
    masked = masked_beside(question, named, types)
    if masked is None or reader.of(masked.question) is not GraphQuestion.BESIDE:
        return None
    return GraphAsked(entities=(masked.entities[0].id,), type=masked.type)


def _list(
    deps: Deps, reader: GraphQuestionReader, question: str, search: SearchState, types: Sequence[str]
) -> GraphAsked | None:
    documents = map(deps.documents.get, search.documents)
    masked = masked_type(question, types, [name for each in documents for name in (each.name, each.title)])
    if masked is None or reader.of(masked.question) is not GraphQuestion.LIST:
        return None
    return GraphAsked(type=masked.type)


def _list_of_one(
    state: State, deps: Deps, reader: GraphQuestionReader, question: str, types: Sequence[str]
) -> GraphAsked | None:
    """List of a document identified by a word of its name: "in the 10-K" for COSTCO_2021_10K.pdf."""
    if masked_type(question, types, ()) is None:
        return None
    ready = deps.documents.find(state.base_id, DocumentFilter((DocumentStatus.READY,)), limit=MANY + 1)
    called = words_of_one(question, [document.name for document in ready[:MANY]])
    for word, at in called if len(ready) <= MANY else ():
        masked = masked_type(question, types, (f"the {word}", word))
        if masked and reader.of(masked.question) is GraphQuestion.LIST:
            return GraphAsked(type=masked.type, documents=(ready[at].id,))
    return None
