"""Decides what a question is and how to look for its answer; makes a follow-up stand alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from core.domain.documents import Document
from core.domain.memories import Memory
from core.domain.runs import Turn
from core.nodes.deciding import decide, noted
from core.nodes.memories import recalled
from core.nodes.rules.asking_web import asked_of_web, is_recent
from core.nodes.rules.errands import asks_for_weather, is_errand
from core.nodes.rules.followups import Names, leans_on_history, names_in, resolve, resolves_clearly
from core.nodes.rules.forms import asks_for_form, asks_how_to_fill, matching_forms
from core.nodes.rules.questions import WHOLE, kind_of
from core.nodes.rules.routing import calls_for_graph, may_name_a_document, named_documents
from core.nodes.rules.smalltalk import social_act
from core.nodes.web_search import OFF
from core.state import Deps, State, Update
from core.tasks import Task
from core.tools.outcome import FORM_TOOLS

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
    WEB = "web"
    FORM = "form"


class WebUse(StrEnum):
    OFF = "off"
    OPEN = "open"
    WANTED = "wanted"
    """The user asks for it."""


FOLLOW_UP = "follow-up"
SEARCHES = (Route.HIERARCHICAL, Route.CHUNKS, Route.GRAPH)
"""The routes that search the documents, in the order in which a correction tries those not yet tried."""


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
    web: WebUse = WebUse.OFF
    forms: tuple[str, ...] = ()
    """Names of forms to download that the question may ask for."""


class Plan(BaseModel):
    """How to answer the last message of a conversation about a set of documents."""

    route: Route = Field(
        description="direct: small talk or the user's own words; out_of_scope: an errand that documents cannot answer; "
        "chunks: look up passages; hierarchical: an overview of whole documents; graph: relations between named "
        "things; web: search the web; form: a form to download"
    )
    question: str = Field(description="the message as a question that stands alone, in the user's language")
    query: str = Field(default="", description="search words in the language of the documents; empty for direct")
    reason: str = Field(default="", description="why this route, in one short sentence")


def _by_cues(request: PlanRequest) -> Plan:
    question = request.question
    names = Names(request.names, request.people)
    if request.web is WebUse.WANTED:
        return Plan(route=Route.WEB, question=_standing(request, names), reason="run.reason.web_wanted")
    if act := social_act(question):
        return Plan(route=Route.DIRECT, question=question, reason=f"run.reason.social_{act}")
    if request.web is WebUse.OPEN and asks_for_weather(question):
        return Plan(route=Route.WEB, question=question, reason="run.reason.recent")
    if is_errand(question):
        return Plan(route=Route.OUT_OF_SCOPE, question=question, reason="run.reason.errand")
    if request.forms:
        return Plan(route=Route.FORM, question=question, reason="run.reason.form")
    standing = _standing(request, names)
    if request.web is WebUse.OPEN and not (request.names or may_name_a_document(standing)) and is_recent(standing):
        return Plan(route=Route.WEB, question=standing, reason="run.reason.recent")
    if kind_of(standing) in WHOLE:
        return Plan(route=Route.HIERARCHICAL, question=standing, reason="run.reason.overview")
    if calls_for_graph(standing, [name for name in request.names if name.casefold() in standing.casefold()]):
        return Plan(route=Route.GRAPH, question=standing, reason="run.reason.relation")
    return Plan(route=Route.CHUNKS, question=standing, reason="run.reason.lookup")


def _standing(request: PlanRequest, names: Names) -> str:
    return resolve(request.question, request.history, names) if request.history else request.question


PLAN = Task("plan", Plan, _by_cues)


def route_of(question: str) -> str:
    """The rule's route for a question on its own, its capitalised names taken for entities."""
    return _by_cues(PlanRequest(question, names=tuple(names_in(question)))).route.value


def plan(state: State, runtime: Runtime[Deps]) -> Update:
    """Also towards the web, where it may be searched, and to forms."""
    deps = runtime.context
    ordered = asked_of_web(state.question)
    question = state.question if ordered is None else ordered or _last_question(state) or state.question
    web = WebUse.OPEN if ordered is None else WebUse.WANTED
    if deps.web is None:
        web = WebUse.OFF
    update = _planned(state, deps, question, web, _forms(question, state, deps))
    if ordered is not None and web is WebUse.OFF:
        update["web_fault"] = OFF
    if update["route"] == Route.FORM:
        tools = tuple(tool.value for tool in FORM_TOOLS)
        return {**update, "tools": tools, "query": update["resolved_question"]}
    return update


def plan_search(state: State, runtime: Runtime[Deps]) -> Update:
    """In the documents alone."""
    return _planned(state, runtime.context, state.question, WebUse.OFF, ())


def _planned(state: State, deps: Deps, question: str, web: WebUse, forms: tuple[str, ...]) -> Update:
    leans = bool(state.history) and social_act(question) is None and leans_on_history(question)
    documents = deps.library.documents(state.base_id) if may_name_a_document(question) else []
    request = replace(_request(state, deps, question, documents, leans), web=web, forms=forms)
    doubtful = leans and not resolves_clearly(question, state.history, Names(request.names, request.people))
    made = decide(deps, PLAN, request) if doubtful else _by_cues(request)
    route = _allowed(made.route, request)
    standing = made.question.strip()[:MAX_QUERY] or question
    resolved = standing if standing != state.question else ""
    task = FOLLOW_UP if leans else ""
    return {
        "route": route.value,
        "resolved_question": standing,
        "query": made.query.strip()[:MAX_QUERY] if doubtful else "",
        "documents": named_documents(standing, documents),
        "note": noted(route, made.reason, resolved=resolved, kind=kind_of(standing), task=task),
    }


def after_plan(state: State) -> Route:
    return Route(state.note.outcome)


def _allowed(route: Route, request: PlanRequest) -> Route:
    """What was planned, where that can be done and the user did not say otherwise."""
    if request.web is WebUse.WANTED:
        return Route.WEB
    impossible = (route is Route.WEB and request.web is WebUse.OFF) or (route is Route.FORM and not request.forms)
    return Route.CHUNKS if impossible else route


def _last_question(state: State) -> str:
    return next((turn.text for turn in reversed(state.history) if turn.role == "user"), "")


def _forms(question: str, state: State, deps: Deps) -> tuple[str, ...]:
    if not asks_for_form(question) or asks_how_to_fill(question):
        return ()
    return tuple(form.name for form in matching_forms(question, deps.library.documents(state.base_id)))


def _request(state: State, deps: Deps, question: str, documents: Sequence[Document], leans: bool) -> PlanRequest:
    said = [turn.text for turn in state.history] if leans else []
    found = deps.graph.named_in(state.base_id, "\n".join([*said, question]), MAX_NAMES)
    return PlanRequest(
        question=question,
        history=state.history,
        memories=recalled(state, deps) if leans else (),
        documents=tuple(document.name for document in documents[:MAX_DOCUMENTS]),
        names=tuple(entity.name for entity in found),
        people=tuple(entity.name for entity in found if entity.type == "PERSON"),
    )
