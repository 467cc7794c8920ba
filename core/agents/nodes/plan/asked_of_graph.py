"""Recognises questions that the built-in engine answers from the graph alone."""

from collections.abc import Sequence

from core.agents.nodes.plan.references import entities_named, words_of_one
from core.agents.nodes.runtime import MAX_NAMES, asked_once
from core.agents.state import SEARCHES, Deps, SearchState, State
from core.agents.tools.results.graph_statements import graph_statements
from core.agents.tools.results.numbered import Numbered
from core.documents.model import DocumentFilter, DocumentStatus
from core.graph.model import ENTITY_TYPES
from core.graph.questions import GraphAsked
from core.models.ports import BUILT_IN, GraphQuestionReader
from core.rulebook.graph_questions import named_by_form
from core.rulebook.messages import Question

MANY = 200
"""Documents among which one can be identified by a word of its name."""


def asked_of_graph(state: State, deps: Deps, question: str, search: SearchState) -> GraphAsked | None:
    """What the question asks of the graph; None for other questions, and within chosen documents or entities."""
    reader = deps.graph_questions if deps.llm.engine == BUILT_IN else None
    if reader is None or not _may_be_asked(state, question, search):
        return None
    if reader.asks_overview(question):
        return GraphAsked(whole=True)
    found = entities_named(question, state, deps)[:MAX_NAMES]
    if connected := reader.connected(question, found):
        return GraphAsked(entities=tuple(entity.id for entity in connected))
    if names := named_by_form(question):
        return GraphAsked(names=names)
    if stated := graph_statements(deps, state.base_id, question, state.language, found, Numbered()):
        return GraphAsked(entities=(stated.entity.id,), statement=True) if stated.answer else None
    base = asked_once(deps, deps.bases.get, state.base_id)
    types = list(dict.fromkeys([*ENTITY_TYPES, *base.entity_types]))
    if not search.documents and (beside := reader.beside(question, found, types)):
        entity, type = beside
        return GraphAsked(entities=(entity.id,), type=type)
    return _of_type(state, deps, reader, question, search, types)


def _of_type(
    state: State, deps: Deps, reader: GraphQuestionReader, question: str, search: SearchState, types: Sequence[str]
) -> GraphAsked | None:
    documents = map(deps.documents.get, search.documents)
    if type := reader.listed(question, types, [name for each in documents for name in (each.name, each.title)]):
        return GraphAsked(type=type)
    return _list_of_one(state, deps, reader, question, types)


def _may_be_asked(state: State, question: str, search: SearchState) -> bool:
    """Whether it is one question for a search that is not limited to documents or entities."""
    return search.route in SEARCHES and not state.options.is_limited and not Question(question).parts


def _list_of_one(
    state: State, deps: Deps, reader: GraphQuestionReader, question: str, types: Sequence[str]
) -> GraphAsked | None:
    """List of a document identified by a word of its name: "in the 10-K" for COSTCO_2021_10K.pdf."""
    if not reader.names_a_type(question, types):
        return None
    ready = deps.documents.find(state.base_id, DocumentFilter((DocumentStatus.READY,)), limit=MANY + 1)
    called = words_of_one(question, [document.name for document in ready[:MANY]])
    for word, at in called if len(ready) <= MANY else ():
        if type := reader.listed(question, types, (f"the {word}", word)):
            return GraphAsked(type=type, documents=(ready[at].id,))
    return None
