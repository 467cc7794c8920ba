"""Searches the documents by the chosen route, after the query was written, and keeps what speaks of the question."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from core.domain.events import PassagesGraded
from core.domain.passages import Hit, Rejected
from core.nodes.deciding import noted
from core.nodes.grade_evidence import sift
from core.nodes.reading import passages_of, shown
from core.nodes.retrieve import passing
from core.nodes.route_query import SearchRoute, search
from core.state import Deps, State, Update

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

NODE = "retrieve"


class Searched(StrEnum):
    FOUND = "found"
    EMPTY = "empty"


def search_local(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    found = search(SearchRoute(state.route), state.base_id, state.query, deps)
    hits, threshold = passing(found)
    kept, refused = sift(state.resolved_question or state.question, passages_of(hits, deps))
    low = passages_of([hit for hit in found if hit not in hits], deps)
    refused += [(passage, "run.rejected.low_score") for passage in low]
    if found:
        rejected = tuple(shown(passage, reason) for passage, reason in refused)
        deps.emit(PassagesGraded(NODE, tuple(map(shown, kept)), rejected))
    details = {"route": state.route, "query": state.query, "threshold": f"{threshold:.2f}", "count": len(kept)}
    outcome, reason = Searched.FOUND, "run.reason.retrieved"
    if not kept:
        outcome, reason = Searched.EMPTY, "run.reason.nothing_local"
    return {
        "tried_routes": (*state.tried_routes, state.route),
        "tried_queries": (*state.tried_queries, state.query),
        "hits": tuple(hits),
        "kept": tuple(Hit(passage.chunk.id, passage.score, passage.sources) for passage in kept),
        "rejected": tuple(Rejected(passage.chunk.id, passage.score, reason) for passage, reason in refused),
        "retrievals": state.retrievals + 1,
        "note": noted(outcome, reason, **details),
    }


def after_search(state: State) -> Searched:
    return Searched(state.note.outcome)
