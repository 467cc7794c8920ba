"""Searches the web where that is configured and allowed; without it, says honestly that the documents do not tell."""

from __future__ import annotations

import json
import time
from enum import StrEnum
from typing import TYPE_CHECKING

from core.domain.events import AnswerReady, Degraded, ToolCalled
from core.domain.runs import AnswerOutcome
from core.errors import AppError, BudgetError, InputError, ServiceError
from core.nodes.deciding import noted
from core.ports import WebResult
from core.state import Deps, State, Update
from core.texts import text

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

RESULTS = 3
MAX_TEXT = 1_500
"""Characters of a result that are kept: they travel with the state."""
ROUTE = "web_search"


class Web(StrEnum):
    FOUND = "found"
    NOTHING = "nothing"


def web_search(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    query = state.query or state.question
    results, fault = _results(query, deps)
    tried: Update = {
        "route": ROUTE,
        "tried_routes": (*state.tried_routes, ROUTE),
        "tried_queries": (*state.tried_queries, query),
        "kept": (),
    }
    if results:
        note = noted(Web.FOUND, "run.reason.web_found", query=query, count=len(results))
        return {**tried, "web": results, "retrievals": state.retrievals + 1, "note": note}
    answer = text(_sentence(fault), state.language, reason=_reason(fault, state.language))
    deps.emit(AnswerReady(answer, ()))
    return {
        **tried,
        "answer": answer,
        "citations": (),
        "outcome": AnswerOutcome.NOT_FOUND.value,
        "note": noted(Web.NOTHING, fault, query=query),
    }


def after_web(state: State) -> Web:
    return Web(state.note.outcome)


def _results(query: str, deps: Deps) -> tuple[tuple[WebResult, ...], str]:
    """What was found, or why nothing was: a catalogue key."""
    if deps.web is None:
        return (), "run.reason.web_off"
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
    return results, "" if results else "run.reason.web_nothing"


def _cut(result: WebResult) -> WebResult:
    return WebResult(result.title, result.url, result.text[:MAX_TEXT], result.score)


def _sentence(fault: str) -> str:
    if fault == "run.reason.web_off":
        return "answer.not_found.no_web"
    return "answer.not_found.web_nothing" if fault == "run.reason.web_nothing" else "answer.not_found.web_failed"


def _reason(fault: str, language: str) -> str:
    return AppError(fault).sentence(language) if fault else ""
