"""Answers directly, or searches: greetings, questions about the app and plain common knowledge need no documents."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from core.nodes.deciding import noted
from core.nodes.detect_language import language_of
from core.nodes.plan import Route
from core.nodes.route_query import SearchRoute, choose_route
from core.nodes.rules.errands import is_errand
from core.nodes.rules.questions import kind_of
from core.nodes.rules.routing import may_name_a_document, named_documents
from core.state import Deps, State, Update

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


class Direction(StrEnum):
    DIRECT = "direct"
    RETRIEVAL = "retrieval"


_ROUTES = {SearchRoute.HIERARCHICAL_SEARCH: Route.HIERARCHICAL}
"""Every other search looks up passages."""


def router(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    made = choose_route(state, deps)
    direct = made.route is SearchRoute.DIRECT
    route = _ROUTES.get(made.route, Route.CHUNKS)
    if direct:
        route = Route.OUT_OF_SCOPE if is_errand(state.question) else Route.DIRECT
    resolved = made.question if made.question != state.question else ""
    earlier = [turn.text for turn in state.history if turn.role == "user"]
    documents = deps.library.documents(state.base_id) if may_name_a_document(made.question) else []
    return {
        "language": language_of(state.question, earlier),
        "resolved_question": made.question,
        "route": route.value,
        "documents": named_documents(made.question, documents),
        "note": noted(
            Direction.DIRECT if direct else Direction.RETRIEVAL,
            made.reason,
            resolved=resolved,
            kind=kind_of(made.question),
        ),
    }


def after_router(state: State) -> Direction:
    return Direction(state.note.outcome)
