"""Plans a question: what it is, how to search, whether the graph answers it, and a standalone form of a follow-up."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from pydantic import BaseModel, Field

from core.agents.intents import A_QUESTION, Intent, Understanding
from core.agents.nodes.memory.memories import recalled
from core.agents.nodes.plan.references import (
    choice_of_readings,
    entities_named,
    known_names,
    referenced_documents,
    words_of_one,
)
from core.agents.nodes.runtime import MAX_NAMES, MAX_QUERY, ask_model, asked_once, noted
from core.agents.nodes.search.web_search import OFF
from core.agents.nodes.understood import understood_in
from core.agents.state import SEARCHES, Deps, NodeRuntime, PlannedTask, Route, SearchState, State, Update
from core.agents.tools.get_form_download_links import READY_FORMS, asks_for_form, asks_how_to_fill, matching_forms
from core.agents.tools.registry import names_of
from core.agents.tools.results.graph_answers import Numbered
from core.agents.tools.results.graph_statements import graph_statements
from core.agents.tools.tool import Toolset
from core.documents.model import DocumentFilter, DocumentStatus
from core.graph.model import ENTITY_TYPES
from core.graph.questions import GraphAsked
from core.memory.model import Memory
from core.models.ports import BUILT_IN, Embedder, GraphQuestionReader
from core.models.tasks import Task
from core.rulebook.graph_questions import named_by_form
from core.rulebook.messages import KnownNames, Question, resolve, resolves_clearly
from core.runs.model import Turn

MAX_DOCUMENTS = 30


class WebUse(StrEnum):
    OFF = "off"
    OPEN = "open"
    WANTED = "wanted"
    """The user requests it."""


FOLLOW_UP = "follow-up"


@dataclass(frozen=True, slots=True)
class PlanRequest:
    question: str
    history: tuple[Turn, ...] = ()
    memories: tuple[Memory, ...] = ()
    documents: tuple[str, ...] = ()
    """Names of the base's documents if the question may refer to one."""
    names: tuple[str, ...] = ()
    """Entities of the knowledge graph in the question and the turns it refers to, longest first."""
    people: tuple[str, ...] = ()
    """The names of persons among them."""
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


def _by_cues(request: PlanRequest, understood: Understanding = A_QUESTION, encoder: Embedder | None = None) -> Plan:
    standing = _standing(request, encoder)
    return _beside_documents(request, understood, standing) or _in_documents(request, standing)


def _beside_documents(request: PlanRequest, understood: Understanding, standing: str) -> Plan | None:
    """The plan for a message that needs no search of the documents, else None."""
    question = request.question
    if request.web is WebUse.WANTED:
        return Plan(route=Route.WEB, question=standing, reason="run.reason.web_wanted")
    if request.web is WebUse.OPEN and understood.intent is Intent.WEATHER:
        return Plan(route=Route.WEB, question=question, reason="run.reason.recent")
    if understood.is_errand:
        return Plan(route=Route.OUT_OF_SCOPE, question=question, reason="run.reason.errand")
    if not understood.is_question:
        asked = standing if understood.intent is Intent.ABOUT_USER else question
        return Plan(route=Route.DIRECT, question=asked, reason=f"run.reason.social_{understood.intent}")
    if request.forms:
        return Plan(route=Route.FORM, question=question, reason="run.reason.form")
    return None


def _in_documents(request: PlanRequest, standing: str) -> Plan:
    """The search plan; the web for questions about today that name nothing in the documents."""
    asked = Question(standing)
    if request.web is WebUse.OPEN and not (request.names or asked.may_name_a_document) and asked.is_recent:
        return Plan(route=Route.WEB, question=standing, reason="run.reason.recent")
    if asked.kind.is_about_whole_documents:
        return Plan(route=Route.HIERARCHICAL, question=standing, reason="run.reason.overview")
    if asked.calls_for_graph([name for name in request.names if name.casefold() in standing.casefold()]):
        return Plan(route=Route.GRAPH, question=standing, reason="run.reason.relation")
    return Plan(route=Route.CHUNKS, question=standing, reason="run.reason.lookup")


def _standing(request: PlanRequest, encoder: Embedder | None) -> str:
    if not request.history:
        return request.question
    return resolve(request.question, request.history, KnownNames(request.names, request.people, encoder))


PLAN = Task("plan", Plan, _by_cues, max_tokens=1_000, for_small=False)


def route_of(question: str, understood: Understanding) -> str:
    """The rule's route for a standalone question; capitalised names count as entities."""
    return _by_cues(PlanRequest(question, names=tuple(Question(question).names)), understood).route.value


def plan(state: State, runtime: NodeRuntime) -> Update:
    """Plans with the web, if allowed, and with forms."""
    deps = runtime.context
    if choice := choice_of_readings(state, deps):
        return choice
    ordered = Question(state.question).web_query
    question = state.question if ordered is None else ordered or _last_question(state) or state.question
    web = WebUse.OPEN if ordered is None else WebUse.WANTED
    if deps.web is None:
        web = WebUse.OFF
    update = _planned(state, deps, question, web, _forms(question, state, deps))
    search = update["search"]
    if asked := asked_of_graph(state, deps, update["resolved_question"], search):
        note = replace(
            update["note"],
            outcome=Route.GRAPH.value,
            reason=f"run.reason.graph_{'statement' if asked.statement else asked.kind}",
        )
        return {**update, "search": replace(search, route=Route.GRAPH, asked=asked), "note": note}
    if ordered is not None and web is WebUse.OFF:
        return {**update, "search": replace(search, web_fault=OFF)}
    if search.route is Route.FORM:
        task = PlannedTask(tools=names_of(Toolset.FORMS))
        return {**update, "task": task, "search": replace(search, query=update["resolved_question"])}
    return update


def plan_search(state: State, runtime: NodeRuntime) -> Update:
    """Plans a search of the documents only."""
    return _planned(state, runtime.context, state.question, WebUse.OFF, ())


def _planned(state: State, deps: Deps, question: str, web: WebUse, forms: tuple[str, ...]) -> Update:
    understood = understood_in(replace(state, question=question), deps)
    is_asked = understood.is_question or understood.intent is Intent.ABOUT_USER
    leans = bool(state.history) and is_asked and Question(question).leans_on_history
    request = replace(_request(state, deps, question, leans), web=web, forms=forms)
    is_clear = not leans or resolves_clearly(question, state.history, KnownNames(request.names, request.people))
    doubtful = (understood.is_question and not is_clear) or understood.in_doubt
    made = _by_cues(request, understood, deps.encoder)
    if doubtful:
        planned = replace(PLAN, rule=partial(_by_cues, encoder=deps.encoder))
        made = ask_model(deps, planned, replace(request, documents=_documents(state, deps, question)))
    route = _allowed(made.route, request)
    standing = made.question.strip()[:MAX_QUERY] or question
    resolved = standing if standing != state.question else ""
    task = FOLLOW_UP if leans else ""
    query = made.query.strip()[:MAX_QUERY] if doubtful else ""
    meant = referenced_documents(state.base_id, standing, deps)
    search = replace(state.search, route=route, query=query, documents=meant)
    return {
        "resolved_question": standing,
        "search": search,
        "note": noted(route, made.reason, resolved=resolved, kind=Question(standing).kind, task=task),
    }


def _allowed(route: Route, request: PlanRequest) -> Route:
    """The plan, restricted to what is available and what the user allows."""
    if request.web is WebUse.WANTED:
        return Route.WEB
    impossible = (route is Route.WEB and request.web is WebUse.OFF) or (route is Route.FORM and not request.forms)
    return Route.CHUNKS if impossible else route


def _last_question(state: State) -> str:
    return next((turn.text for turn in reversed(state.history) if turn.role == "user"), "")


def _forms(question: str, state: State, deps: Deps) -> tuple[str, ...]:
    if not asks_for_form(question) or asks_how_to_fill(question):
        return ()
    return tuple(form.name for form in matching_forms(question, deps.documents.find(state.base_id, READY_FORMS)))


def _documents(state: State, deps: Deps, question: str) -> tuple[str, ...]:
    """Names of documents for a model, if the question may refer to one."""
    if not Question(question).may_name_a_document:
        return ()
    return tuple(document.name for document in deps.documents.find(state.base_id, limit=MAX_DOCUMENTS))


def _request(state: State, deps: Deps, question: str, leans: bool) -> PlanRequest:
    said = known_names(state, deps, state.history if leans else (), question)
    return PlanRequest(
        question=question,
        history=state.history,
        memories=recalled(state, deps) if leans else (),
        names=tuple(said.things),
        people=tuple(said.people),
    )


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
