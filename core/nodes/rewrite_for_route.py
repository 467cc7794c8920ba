"""Writes the query of the chosen search; after a rejected answer it also chooses another search."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.nodes.rewrite_query import rewrite_query
from core.nodes.route_query import SearchRoute, next_search
from core.state import Deps, State, Update

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


def rewrite_for_route(state: State, runtime: Runtime[Deps]) -> Update:
    update = rewrite_query(state, runtime)
    if not (state.answer or state.tried_queries):
        return update
    route = next_search(state, web=runtime.context.web is not None)
    note = update["note"]
    return {
        **update,
        "corrections": state.corrections + 1,
        "route": route.value,
        "kept": (),
        "rejected": (),
        "web": (),
        "note": replace(note, details=(*note.details, ("route", route.value))),
    }


def after_rewrite(state: State) -> SearchRoute:
    return SearchRoute(state.route)
