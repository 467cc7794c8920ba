"""Searches the web where that is configured and allowed; notes why it brought nothing."""

from __future__ import annotations

import json
import time
from enum import StrEnum
from typing import TYPE_CHECKING

from core.domain.events import Degraded, ToolCalled
from core.errors import BudgetError, InputError, ServiceError
from core.nodes.deciding import noted
from core.nodes.rules.questions import strip_frames
from core.ports import WebResult
from core.state import Deps, State, Update

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

RESULTS = 3
MAX_TEXT = 1_500
"""Characters of a result that are kept: they travel with the state."""
ROUTE = "web_search"
OFF = "run.reason.web_off"
FOUND_NOTHING = "run.reason.web_nothing"


class Web(StrEnum):
    FOUND = "found"
    DOCUMENTS = "documents"
    """It brought nothing, and the documents have not been searched yet."""
    NOTHING = "nothing"


def web_search(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    query = _query(state)
    results, fault = _results(query, deps)
    tried: Update = {"route": ROUTE, "tried_routes": (*state.tried_routes, ROUTE), "kept": (), "web_fault": fault}
    if not results:
        outcome = Web.NOTHING if state.retrievals else Web.DOCUMENTS
        return {**tried, "note": noted(outcome, fault, query=query)}
    return {
        **tried,
        "web": results,
        "retrievals": state.retrievals + 1,
        "note": noted(Web.FOUND, "run.reason.web_found", query=query, count=len(results)),
    }


def after_web(state: State) -> Web:
    return Web(state.note.outcome)


def _query(state: State) -> str:
    """What was written for the web, else the question: words that were written for documents say less out there."""
    written = state.query if state.route == ROUTE else ""
    question = state.resolved_question or state.question
    return written or strip_frames(question)


def _results(query: str, deps: Deps) -> tuple[tuple[WebResult, ...], str]:
    """What was found, or why nothing was: a catalogue key."""
    if deps.web is None:
        return (), OFF
    arguments = json.dumps({"query": query, "max_results": RESULTS}, ensure_ascii=False)
    started = time.perf_counter()
    try:
        deps.meter.before_tool(ROUTE, arguments)
        results = tuple(_cut(result) for result in deps.web.search(query, RESULTS))[:RESULTS]
    except (ServiceError, InputError, BudgetError) as error:
        deps.emit(Degraded(ROUTE, error.key))
        return (), error.key
    told = "\n".join(f"{result.title} <{result.url}>" for result in results)
    deps.emit(ToolCalled(ROUTE, arguments, told, time.perf_counter() - started))
    return results, "" if results else FOUND_NOTHING


def _cut(result: WebResult) -> WebResult:
    return WebResult(result.title, result.url, result.text[:MAX_TEXT], result.score)
