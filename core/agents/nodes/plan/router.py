"""Routes a message: greetings, questions about the app and common knowledge need no search."""

from dataclasses import replace
from enum import StrEnum

from core.agents.nodes.plan.detect_language import answer_language
from core.agents.nodes.plan.references import readings_of, referenced_documents
from core.agents.nodes.plan.route_query import SearchRoute, choose_route
from core.agents.nodes.runtime import noted
from core.agents.nodes.understood import understood_in
from core.agents.state import NodeRuntime, Route, State, Update
from core.rulebook.messages import Question


class RouterOutcome(StrEnum):
    DIRECT = "direct"
    RETRIEVAL = "retrieval"


def router(state: State, runtime: NodeRuntime) -> Update:
    deps = runtime.context
    language = answer_language(state, deps)
    if choices := readings_of(state, deps):
        note = noted(RouterOutcome.DIRECT, "run.reason.asked_back")
        return {"language": language, "draft": replace(state.draft, choices=choices), "note": note}
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
