"""Searches the web if it is configured and allowed; records why there are no results."""

import json
import time
from dataclasses import replace
from enum import StrEnum

from core.agents.nodes.runtime import noted
from core.agents.state import Deps, NodeRuntime, Route, State, Update
from core.platform.errors import BudgetError, InputError, ServiceError
from core.rulebook.messages import Question
from core.runs.events import Degraded, ToolCalled
from core.search.ports import WebResult

RESULTS = 3
MAX_TEXT = 1_500
"""Longest result kept in the state, in characters."""
TOOL = "web_search"
OFF = "run.reason.web_off"
FOUND_NOTHING = "run.reason.web_nothing"


class WebOutcome(StrEnum):
    FOUND = "found"
    DOCUMENTS = "documents"
    """No results, and the documents have not been searched yet."""
    NOTHING = "nothing"


def web_search(state: State, runtime: NodeRuntime) -> Update:
    deps = runtime.context
    query = _query(state)
    results, fault = _results(query, deps)
    tried_routes = (*state.search.tried_routes, Route.WEB)
    search = replace(state.search, route=Route.WEB, tried_routes=tried_routes, kept=(), web_fault=fault)
    if not results:
        outcome = WebOutcome.NOTHING if state.search.retrievals else WebOutcome.DOCUMENTS
        return {"search": search, "note": noted(outcome, fault, query=query)}
    return {
        "search": replace(search, web=results, retrievals=state.search.retrievals + 1),
        "note": noted(WebOutcome.FOUND, "run.reason.web_found", query=query, count=len(results)),
    }


def web_is_open(state: State, deps: Deps) -> bool:
    """Whether the web may be searched, has not been yet, and there is time for it."""
    return deps.web is not None and Route.WEB not in state.search.tried_routes and deps.meter.remaining_seconds() > 0


def _query(state: State) -> str:
    """The query written for the web, else the question; queries for documents are too specific."""
    written = state.search.query if state.search.route is Route.WEB else ""
    question = state.standalone_question
    return written or Question(question).plain


def _results(query: str, deps: Deps) -> tuple[tuple[WebResult, ...], str]:
    """Results, or the catalogue key of the reason why there are none."""
    if deps.web is None:
        return (), OFF
    arguments = json.dumps({"query": query, "max_results": RESULTS}, ensure_ascii=False)
    started = time.perf_counter()
    try:
        deps.meter.before_tool(TOOL, arguments)
        results = tuple(replace(it, text=it.text[:MAX_TEXT]) for it in deps.web.search(query, RESULTS))[:RESULTS]
    except (ServiceError, InputError, BudgetError) as error:
        deps.emit(Degraded(TOOL, error.key))
        return (), error.key
    told = "\n".join(f"{result.title} <{result.url}>" for result in results)
    deps.emit(ToolCalled(TOOL, arguments, told, time.perf_counter() - started))
    return results, "" if results else FOUND_NOTHING
