"""Routes a question, given the memories: answer directly, or begin with one of three searches."""

from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from pydantic import BaseModel, Field

from core.agents.intents import A_QUESTION, Understanding
from core.agents.nodes.memory.memories import recalled
from core.agents.nodes.plan.detect_language import answer_language
from core.agents.nodes.plan.references import choice_of_readings, known_names, referenced_documents
from core.agents.nodes.runtime import MAX_QUERY, ask_model, noted
from core.agents.nodes.understood import understood_in
from core.agents.state import Deps, NodeRuntime, Route, State, Update
from core.memory.model import Memory
from core.models.ports import BUILT_IN, Embedder
from core.models.tasks import Task
from core.rulebook.messages import KnownNames, Question, resolve
from core.rulebook.model import QuestionKind
from core.runs.model import Turn
from core.search.model import Hit

CHUNKS, CHUNKS_READ = 5, 10
"""Passages a search for a model, and for the built-in engine, which is overconfident about few passages."""
_OPEN = {QuestionKind.OVERVIEW, QuestionKind.COMPARISON, QuestionKind.WHY, QuestionKind.HOW}


class SearchRoute(StrEnum):
    DIRECT = "direct"
    HIERARCHICAL_SEARCH = "hierarchical_search"
    DIRECT_CHUNK_SEARCH = "direct_chunk_search"
    WEB_SEARCH = "web_search"

    @property
    def route(self) -> Route:
        return _ROUTES[self]

    @classmethod
    def of(cls, route: Route | None) -> "SearchRoute":
        return next(name for name, same in _ROUTES.items() if same is route)


_ROUTES = {
    SearchRoute.DIRECT: Route.DIRECT,
    SearchRoute.HIERARCHICAL_SEARCH: Route.HIERARCHICAL,
    SearchRoute.DIRECT_CHUNK_SEARCH: Route.CHUNKS,
    SearchRoute.WEB_SEARCH: Route.WEB,
}
"""Routes by the names used in the specification."""
LOCAL = (SearchRoute.HIERARCHICAL_SEARCH, SearchRoute.DIRECT_CHUNK_SEARCH)
"""Order in which corrections try the remaining routes before the web."""


@dataclass(frozen=True, slots=True)
class RouteRequest:
    question: str
    history: tuple[Turn, ...] = ()
    memories: tuple[Memory, ...] = ()
    names: tuple[str, ...] = ()
    """Entities of the knowledge graph in the question and the turns it refers to, longest first."""
    people: tuple[str, ...] = ()
    """The names of persons among them."""
    web: bool = False
    """Whether the web may be searched."""


class RouteChoice(BaseModel):
    """How to look for the answer to the last message of a conversation."""

    route: SearchRoute = Field(
        description="direct: nothing to look up; hierarchical_search: open or conceptual; direct_chunk_search: an "
        "exact look-up about something known by name; web_search: recent events, or outside the documents"
    )
    question: str = Field(description="the message as a question that stands alone, in the user's language")
    reason: str = Field(default="", description="why this route, in one short sentence")


def _by_cues(
    request: RouteRequest, understood: Understanding = A_QUESTION, encoder: Embedder | None = None
) -> RouteChoice:
    question = request.question
    if not understood.is_question:
        reason = "run.reason.errand" if understood.is_errand else f"run.reason.social_{understood.intent}"
        return RouteChoice(route=SearchRoute.DIRECT, question=question, reason=reason)
    standing = resolve(question, request.history, KnownNames(request.names, request.people, encoder))
    if request.web and not request.names and Question(standing).is_recent:
        return RouteChoice(route=SearchRoute.WEB_SEARCH, question=standing, reason="run.reason.recent")
    if Question(standing).kind in _OPEN:
        return RouteChoice(route=SearchRoute.HIERARCHICAL_SEARCH, question=standing, reason="run.reason.open_question")
    return RouteChoice(route=SearchRoute.DIRECT_CHUNK_SEARCH, question=standing, reason="run.reason.lookup")


ROUTE = Task("route_query", RouteChoice, _by_cues, max_tokens=1_000, for_small=False)


def choose_route(state: State, deps: Deps) -> RouteChoice:
    """The rule's route if its cues are clear; the model's for follow-ups and unknown names."""
    understood = understood_in(state, deps)
    leans = bool(state.history) and understood.is_question and Question(state.question).leans_on_history
    said = known_names(state, deps, state.history if leans else (), state.question)
    request = RouteRequest(
        question=state.question,
        history=state.history,
        memories=recalled(state, deps),
        names=tuple(said.things),
        people=tuple(said.people),
        web=deps.web is not None,
    )
    made = _by_cues(request, understood, deps.encoder)
    clear = made.route is not SearchRoute.DIRECT_CHUNK_SEARCH or bool(said.things)
    if not clear or leans or understood.in_doubt:
        made = ask_model(deps, replace(ROUTE, rule=partial(_by_cues, encoder=deps.encoder)), request)
    return made.model_copy(update={"question": made.question.strip()[:MAX_QUERY] or state.question})


def route_query(state: State, runtime: NodeRuntime) -> Update:
    deps = runtime.context
    if choice := choice_of_readings(state, deps):
        return choice
    made = choose_route(state, deps)
    route, reason, planned = made.route, made.reason, None
    if route is SearchRoute.WEB_SEARCH and deps.web is None:
        route = SearchRoute.DIRECT_CHUNK_SEARCH
    meant = referenced_documents(state.base_id, made.question, deps)
    state = replace(state, search=replace(state.search, documents=meant))
    if route in LOCAL and not search(route, state, made.question, deps):
        planned, route, reason = route, SearchRoute.WEB_SEARCH, "run.reason.nothing_local"
    resolved = made.question if made.question != state.question else ""
    tried = (planned.route,) if planned else ()
    return {
        "resolved_question": made.question,
        "search": replace(state.search, route=route.route, tried_routes=tried),
        "note": noted(route, reason, resolved=resolved, planned=planned or "", kind=Question(made.question).kind),
    }


def after_route(state: State) -> SearchRoute:
    return SearchRoute.of(state.search.route)


def search(route: SearchRoute, state: State, query: str, deps: Deps) -> list[Hit]:
    """Searches the documents, or those that the question means, without a threshold."""
    meant, limit = state.search.documents, CHUNKS_READ if deps.llm.engine == BUILT_IN else CHUNKS
    if route is SearchRoute.HIERARCHICAL_SEARCH and not meant:
        return deps.retriever.hierarchical(state.base_id, query, limit)
    return deps.retriever.chunks(state.base_id, query, limit, meant)


def next_search(state: State, web: bool) -> SearchRoute:
    """The first untried route; if all were tried, the local one that was not tried last."""
    order = (*LOCAL, SearchRoute.WEB_SEARCH) if web else LOCAL
    tried = state.search.tried_routes
    untried = [route for route in order if route.route not in tried]
    return (untried or [route for route in LOCAL if route.route not in tried[-1:]])[0]


class RouterOutcome(StrEnum):
    DIRECT = "direct"
    RETRIEVAL = "retrieval"


def router(state: State, runtime: NodeRuntime) -> Update:
    deps = runtime.context
    language = answer_language(state, deps)
    if choice := choice_of_readings(state, deps):
        return {**choice, "language": language}
    made = choose_route(state, deps)
    direct = made.route is SearchRoute.DIRECT
    route = Route.CHUNKS if made.route is SearchRoute.WEB_SEARCH else made.route.route
    if direct and understood_in(state, deps).is_errand:
        route = Route.OUT_OF_SCOPE
    resolved = made.question if made.question != state.question else ""
    documents = referenced_documents(state.base_id, made.question, deps)
    return {
        "language": language,
        "resolved_question": made.question,
        "search": replace(state.search, route=route, documents=documents),
        "note": noted(
            RouterOutcome.DIRECT if direct else RouterOutcome.RETRIEVAL,
            made.reason,
            resolved=resolved,
            kind=Question(made.question).kind,
        ),
    }
