"""Answers questions that the graph alone answers: connections of named things, names of a type, the whole graph."""

from dataclasses import replace

from core.agents.nodes.runtime import noted
from core.agents.state import Deps, NodeRuntime, State, Update
from core.agents.tools.describe_graph import graph_overview
from core.agents.tools.results.graph_answers import Numbered
from core.agents.tools.results.graph_connection import (
    Connection,
    ConnectionQuestion,
    NoConnection,
    graph_connection,
    text_connection,
)
from core.agents.tools.results.graph_list import EntityListing, graph_beside, graph_list
from core.agents.tools.results.graph_statements import Statements, graph_statements
from core.graph.model import Entity
from core.graph.questions import TELLING, GraphQuestion, TellOutcome
from core.platform.errors import NotFoundError
from core.rulebook.quotes import readable
from core.runs.events import GraphTouched
from core.runs.model import AnswerOutcome
from core.search.model import Citation

PAIR = 2
FOUND = 20
"""Entities among which one is identified by the beginning of its name."""


def tell_graph(state: State, runtime: NodeRuntime) -> Update:
    asked, deps = state.search.asked, runtime.context
    if asked.statement:
        return _stated(state, deps)
    match asked.kind:
        case GraphQuestion.OTHER:
            return {"note": noted(TellOutcome.SEARCH, "run.reason.graph_along")}
        case GraphQuestion.LIST:
            return _listed(state, deps)
        case GraphQuestion.OVERVIEW:
            return _overview(state, deps)
        case GraphQuestion.BESIDE:
            return _beside(state, deps)
        case GraphQuestion.CONNECTION:
            return _connected(state, deps)


def _connected(state: State, deps: Deps) -> Update:
    """Answers with a connection; one through other entities is less than a passage that mentions both."""
    numbered, asked = Numbered(), ConnectionQuestion(state.base_id, state.language, state.search.documents)
    try:
        ends = [deps.graph.entity(entity_id) for entity_id in state.search.asked.entities]
        ends += [_known(state, deps, name) for name in state.search.asked.names]
    except NotFoundError:
        if state.search.asked.names:
            return _in_words(state, deps, asked, state.search.asked.names)
        return _search(state, (), "run.reason.graph_along")
    found = graph_connection(deps, asked, ends, numbered)
    if isinstance(found, NoConnection):
        names = (found.one.name, found.other.name)
        return _in_words(state, deps, asked, names) if len(ends) == PAIR else _apart(state, names)
    if not found.is_direct and len(ends) == PAIR:
        said = _in_words(state, deps, asked, tuple(end.name for end in ends))
        if said["note"].outcome == TellOutcome.TOLD:
            return said
    if found.is_direct:
        return _told(state, deps, found, numbered, "run.reason.graph_together")
    return _told(state, deps, found, numbered, "run.reason.graph_through", AnswerOutcome.CLOSEST)


def _known(state: State, deps: Deps, name: str) -> Entity:
    """The only entity of that name, or whose name begins with it: KPMG LLP by KPMG. Raises NotFoundError."""
    whole = name.casefold()
    found = deps.graph.search(state.base_id, name, FOUND)
    called = [each for each in found if whole in {other.casefold() for other in (each.name, *each.aliases)}]
    called = called or [each for each in found if each.name.casefold().startswith(f"{whole} ")]
    if len(called) != 1:
        raise NotFoundError("storage.entity_gone")
    return called[0]


def _in_words(state: State, deps: Deps, asked: ConnectionQuestion, names: tuple[str, ...]) -> Update:
    """Answers with sentences alone, if the graph does not have the names or does not connect them."""
    numbered = Numbered()
    if answer := text_connection(deps, asked, (names[0], names[-1]), numbered):
        return _answer(state, answer, numbered.citations(answer), AnswerOutcome.ANSWERED, "run.reason.graph_sentences")
    return _search(state, (), "run.reason.graph_along") if state.search.asked.names else _apart(state, names)


def _apart(state: State, names: tuple[str, ...]) -> Update:
    return _search(state, tuple(map(readable, names)), "run.reason.graph_apart")


def _listed(state: State, deps: Deps) -> Update:
    numbered, asked = Numbered(), state.search.asked
    documents = asked.documents or state.search.documents
    found = graph_list(deps, state.base_id, asked.type, documents, state.language, numbered)
    if found is None:
        return _search(state, (), "run.reason.graph_none")
    return _told(state, deps, found, numbered, "run.reason.graph_listed")


def _stated(state: State, deps: Deps) -> Update:
    numbered = Numbered()
    try:
        named = [deps.graph.entity(entity_id) for entity_id in state.search.asked.entities]
    except NotFoundError:
        return _search(state, (), "run.reason.graph_along")
    found = graph_statements(deps, state.base_id, state.standalone_question, state.language, named, numbered)
    if found is None or not found.answer:
        return _search(state, (), "run.reason.graph_none")
    return _told(state, deps, found, numbered, "run.reason.graph_stated")


def _overview(state: State, deps: Deps) -> Update:
    if not deps.graph.stats(state.base_id).entities:
        return _search(state, (), "run.reason.graph_none")
    answer, citations, entity_ids = graph_overview(deps, state)
    deps.emit(GraphTouched(TELLING, entity_ids))
    return _answer(state, answer, citations, AnswerOutcome.ANSWERED, "run.reason.graph_described")


def _beside(state: State, deps: Deps) -> Update:
    numbered, asked = Numbered(), state.search.asked
    try:
        one = deps.graph.entity(asked.entities[0])
    except NotFoundError:
        return _search(state, (), "run.reason.graph_along")
    found = graph_beside(deps, one, asked.type, state.language, numbered)
    if found is None:
        return _search(state, (), "run.reason.graph_none")
    found = replace(found, entities=(one, *found.entities))
    return _told(state, deps, found, numbered, "run.reason.graph_beside")


def _told(
    state: State,
    deps: Deps,
    found: Connection | EntityListing | Statements,
    numbered: Numbered,
    reason: str,
    outcome: AnswerOutcome = AnswerOutcome.ANSWERED,
) -> Update:
    deps.emit(GraphTouched(TELLING, tuple(entity.id for entity in found.entities)))
    return _answer(state, found.answer, numbered.citations(found.answer), outcome, reason)


def _answer(state: State, answer: str, citations: tuple[Citation, ...], outcome: AnswerOutcome, reason: str) -> Update:
    draft = replace(state.draft, answer=answer, citations=citations, unsupported=(), parts=(), outcome=outcome)
    asked = state.search.asked
    of_all = asked.kind is GraphQuestion.LIST and not asked.documents and not state.search.documents
    note = noted(TellOutcome.TOLD, reason, type=asked.type if of_all else "", citations=len(citations))
    return {"draft": draft, "note": note}


def _search(state: State, apart: tuple[str, ...], reason: str) -> Update:
    """Leaves the question to the search; names that the graph does not connect are mentioned if it finds no answer."""
    asked = replace(state.search.asked, apart=apart)
    return {"search": replace(state.search, asked=asked), "note": noted(TellOutcome.SEARCH, reason)}
