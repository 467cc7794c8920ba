"""Calls the planned tools side by side and grades what they found."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import replace
from typing import TYPE_CHECKING

from core.domain.events import Degraded, ToolCalled
from core.errors import BudgetError
from core.nodes.deciding import noted
from core.nodes.grade_evidence import grade
from core.state import Deps, State, Update
from core.tools.export_form_file import export_form_file
from core.tools.get_form_download_links import get_form_download_links
from core.tools.outcome import Tool, ToolOutcome
from core.tools.retrieve_documents import retrieve_documents

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

    Call = Callable[[State, Runtime[Deps]], ToolOutcome]

NODE = "tool_executor"
TOOLS: dict[str, Call] = {
    Tool.RETRIEVE_DOCUMENTS: retrieve_documents,
    Tool.GET_FORM_DOWNLOAD_LINKS: get_form_download_links,
    Tool.EXPORT_FORM_FILE: export_form_file,
}


def tool_executor(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    outcomes = _called(state, runtime)
    found = [outcome for outcome, _ in outcomes.values()]
    for name, (outcome, seconds) in outcomes.items():
        deps.emit(ToolCalled(name, outcome.arguments, outcome.text, seconds))
    searched = outcomes.get(Tool.RETRIEVE_DOCUMENTS)
    forms = tuple(dict.fromkeys(form for outcome in found for form in outcome.forms))
    update: Update = {"forms": forms, "tried_queries": (*state.tried_queries, state.query)}
    if searched:
        update = {**update, **_graded(state, deps, searched[0])}
    kept = len(update.get("kept", ()))
    count = sum(len(outcome.hits) for outcome in found)
    note = noted("found" if kept or forms else "empty", "run.reason.tools_called", tools=", ".join(outcomes))
    shown = (("count", str(count)), ("kept", str(kept)), ("forms", str(len(forms))), ("query", state.query))
    return {**update, "note": replace(note, details=(*note.details, *shown))}


def _called(state: State, runtime: Runtime[Deps]) -> dict[str, tuple[ToolOutcome, float]]:
    """What each tool gave and the seconds it took, in the order planned; what the budget refuses is left out."""
    deps = runtime.context
    allowed: list[str] = []
    for name in state.tools:
        try:
            deps.meter.before_tool(name, state.query)
        except BudgetError as error:
            deps.emit(Degraded(name, error.key))
        else:
            allowed.append(name)

    def timed(name: str) -> tuple[ToolOutcome, float]:
        started = time.perf_counter()
        return TOOLS[name](state, runtime), time.perf_counter() - started

    if not allowed:
        return {}
    with ThreadPoolExecutor(len(allowed), thread_name_prefix="tool") as pool:
        waiting = {name: pool.submit(copy_context().run, timed, name) for name in allowed}
        return {name: future.result() for name, future in waiting.items()}


def _graded(state: State, deps: Deps, searched: ToolOutcome) -> Update:
    found: Update = {
        "route": searched.route,
        "tried_routes": (*state.tried_routes, searched.route),
        "hits": searched.hits,
        "rejected": searched.rejected,
        "retrievals": state.retrievals + 1,
    }
    return {**found, **grade(replace(state, **found), deps, NODE)}
