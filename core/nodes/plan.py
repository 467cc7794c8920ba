"""Decides what a question is and how to look for its answer; makes a follow-up stand alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from core.domain.documents import Document
from core.domain.memories import Memory
from core.domain.runs import Turn
from core.nodes.deciding import decide, noted
from core.nodes.memories import recalled
from core.nodes.rules.errands import is_errand
from core.nodes.rules.followups import Names, leans_on_history, names_in, resolve, resolves_clearly
from core.nodes.rules.questions import WHOLE, kind_of
from core.nodes.rules.routing import calls_for_graph, may_name_a_document, named_documents
from core.nodes.rules.smalltalk import social_act
from core.state import Deps, State, Update
from core.tasks import Task

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

MAX_NAMES = 20
MAX_DOCUMENTS = 30
MAX_QUERY = 1000
"""Characters of a question or query that a model wrote."""


class Route(StrEnum):
    DIRECT = "direct"
    OUT_OF_SCOPE = "out_of_scope"
    CHUNKS = "chunks"
    HIERARCHICAL = "hierarchical"
    GRAPH = "graph"


SEARCHES = (Route.HIERARCHICAL, Route.CHUNKS, Route.GRAPH)
"""The routes that search, in the order in which a correction tries those not yet tried."""


@dataclass(frozen=True, slots=True)
class PlanRequest:
    question: str
    history: tuple[Turn, ...] = ()
    memories: tuple[Memory, ...] = ()
    documents: tuple[str, ...] = ()
    """Names of documents in the knowledge base, where the question may mean one of them."""
    names: tuple[str, ...] = ()
    """Entities of the knowledge graph in the question and the turns it leans on, longest first."""
    people: tuple[str, ...] = ()
    """Those of them that are persons."""


class Plan(BaseModel):
    """How to answer the last message of a conversation about a set of documents."""

    route: Route = Field(
        description="direct: small talk or the user's own words; out_of_scope: an errand that documents cannot answer; "
        "chunks: look up passages; hierarchical: an overview of whole documents; graph: relations between named things"
    )
    question: str = Field(description="the message as a question that stands alone, in the user's language")
    query: str = Field(default="", description="search words in the language of the documents; empty for direct")
    reason: str = Field(default="", description="why this route, in one short sentence")


def _by_cues(request: PlanRequest) -> Plan:
    question = request.question
    if act := social_act(question):
        return Plan(route=Route.DIRECT, question=question, reason=f"run.reason.social_{act}")
    if is_errand(question):
        return Plan(route=Route.OUT_OF_SCOPE, question=question, reason="run.reason.errand")
    names = Names(request.names, request.people)
    standing = resolve(question, request.history, names) if request.history else question
    if kind_of(standing) in WHOLE:
        return Plan(route=Route.HIERARCHICAL, question=standing, reason="run.reason.overview")
    if calls_for_graph(standing, [name for name in request.names if name.casefold() in standing.casefold()]):
        return Plan(route=Route.GRAPH, question=standing, reason="run.reason.relation")
    return Plan(route=Route.CHUNKS, question=standing, reason="run.reason.lookup")


PLAN = Task("plan", Plan, _by_cues)


def route_of(question: str) -> str:
    """The rule's route for a question on its own, its capitalised names taken for entities."""
    return _by_cues(PlanRequest(question, names=tuple(names_in(question)))).route.value


def plan(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    leans = bool(state.history) and social_act(state.question) is None and leans_on_history(state.question)
    documents = deps.library.documents(state.base_id) if may_name_a_document(state.question) else []
    request = _request(state, deps, documents, leans)
    doubtful = leans and not resolves_clearly(state.question, state.history, Names(request.names, request.people))
    made = decide(deps, PLAN, request) if doubtful else _by_cues(request)
    standing = made.question.strip()[:MAX_QUERY] or state.question
    resolved = standing if standing != state.question else ""
    return {
        "route": made.route.value,
        "resolved_question": standing,
        "query": made.query.strip()[:MAX_QUERY] if doubtful else "",
        "documents": named_documents(standing, documents),
        "note": noted(made.route, made.reason, resolved=resolved, kind=kind_of(standing)),
    }


def after_plan(state: State) -> Route:
    return Route(state.note.outcome)


def _request(state: State, deps: Deps, documents: Sequence[Document], leans: bool) -> PlanRequest:
    said = [turn.text for turn in state.history] if leans else []
    found = deps.graph.named_in(state.base_id, "\n".join([*said, state.question]), MAX_NAMES)
    return PlanRequest(
        question=state.question,
        history=state.history,
        memories=recalled(state, deps) if leans else (),
        documents=tuple(document.name for document in documents[:MAX_DOCUMENTS]),
        names=tuple(entity.name for entity in found),
        people=tuple(entity.name for entity in found if entity.type == "PERSON"),
    )
