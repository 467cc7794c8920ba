"""Searches the web, once: where it brings nothing, the documents are searched, or it says that they do not tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.domain.events import AnswerReady
from core.domain.runs import AnswerOutcome
from core.nodes.deciding import noted
from core.nodes.route_query import SearchRoute
from core.nodes.web_search import FOUND_NOTHING, OFF, Web, web_search
from core.state import Deps, Note, State, Update
from core.texts import text

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

_SENTENCES = {OFF: "answer.not_found.no_web", FOUND_NOTHING: "answer.not_found.web_nothing"}


def web_resort(state: State, runtime: Runtime[Deps]) -> Update:
    found: Update = {"web_fault": state.web_fault, "note": Note()} if state.web_fault else web_search(state, runtime)
    if found["note"].outcome == Web.FOUND:
        query = dict(found["note"].details)["query"]
        return {**found, "tried_queries": (*state.tried_queries, query)}
    if not state.tried_routes:
        return {**found, "route": SearchRoute.DIRECT_CHUNK_SEARCH.value}
    fault = found["web_fault"]
    key = _SENTENCES.get(fault, "answer.not_found.web_failed")
    answer = text(key, state.language, reason=text(fault, state.language))
    runtime.context.emit(AnswerReady(answer, ()))
    note = noted(Web.NOTHING, fault, **dict(found["note"].details))
    outcome = AnswerOutcome.NOT_FOUND.value
    return {**found, "answer": answer, "citations": (), "outcome": outcome, "note": note}
