"""Calls the planned tools in parallel, grades the results and checks whether they are enough to answer."""

import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace
from enum import StrEnum

from core.agents.nodes.runtime import noted
from core.agents.nodes.search.grade_evidence import grade
from core.agents.state import Deps, NodeRuntime, State, Update
from core.agents.tools.registry import tools_of
from core.agents.tools.tool import AnyTool, ToolOutcome, Toolset, ToolSituation, as_json
from core.platform.errors import BudgetError
from core.runs.events import Degraded, ToolCalled

NODE = "tool_executor"


@dataclass(frozen=True, slots=True)
class _Called:
    tool: AnyTool
    arguments: str
    outcome: ToolOutcome
    seconds: float


def tool_executor(state: State, runtime: NodeRuntime) -> Update:
    deps = runtime.context
    calls = _called(state, deps)
    for call in calls:
        deps.emit(ToolCalled(call.tool.name, call.arguments, call.outcome.text, call.seconds))
    forms = tuple(dict.fromkeys(form for call in calls for form in call.outcome.forms))
    search = replace(state.search, tried_queries=(*state.search.tried_queries, state.search.query), kept=())
    update: Update = {"search": search}
    searched = next((call.outcome for call in calls if call.tool.toolset is Toolset.DOCUMENTS), None)
    if searched:
        update = _graded(replace(state, search=search), deps, searched)
    kept = len(update["search"].kept)
    count = sum(len(call.outcome.hits) for call in calls)
    names = ", ".join(call.tool.name for call in calls)
    note = noted("found" if kept or forms else "empty", "run.reason.tools_called", tools=names)
    shown = (("count", str(count)), ("kept", str(kept)), ("forms", str(len(forms))), ("query", state.search.query))
    return {**update, "task": replace(state.task, forms=forms), "note": replace(note, details=(*note.details, *shown))}


def _called(state: State, deps: Deps) -> list[_Called]:
    """Results of the planned tools in order, without calls that the budget refused."""
    planned = {tool.name: tool for tool in tools_of(Toolset.DOCUMENTS, Toolset.FORMS)}
    allowed: list[AnyTool] = []
    for name in state.task.tools:
        try:
            deps.meter.before_tool(name, state.search.query)
        except BudgetError as error:
            deps.emit(Degraded(name, error.key))
        else:
            allowed.append(planned[name])
    situation = ToolSituation(state.standalone_question, state.search.query)

    def timed(tool: AnyTool) -> _Called:
        started = time.perf_counter()
        given = tool.next(situation)
        arguments = as_json(given) if given is not None else ""
        outcome = tool.run(arguments, state, deps)
        return _Called(tool, arguments, outcome, time.perf_counter() - started)

    if not allowed:
        return []
    with ThreadPoolExecutor(len(allowed), thread_name_prefix="tool") as pool:
        waiting = [pool.submit(copy_context().run, timed, tool) for tool in allowed]
        return [future.result() for future in waiting]


def _graded(state: State, deps: Deps, searched: ToolOutcome) -> Update:
    found = replace(
        state.search,
        route=searched.route,
        tried_routes=(*state.search.tried_routes, *([searched.route] if searched.route else [])),
        hits=searched.hits,
        rejected=searched.rejected,
        retrievals=state.search.retrievals + 1,
    )
    return grade(replace(state, search=found), deps, NODE)


MAX_LOOP = 2
"""Queries per question."""


class RetrievalOutcome(StrEnum):
    FOUND = "found"
    RETRY = "retry"
    FALLBACK = "fallback"


def retrieval_checker(state: State, runtime: NodeRuntime) -> Update:
    loop = state.search.corrections + 1
    outcome, reason = RetrievalOutcome.FOUND, "run.reason.enough_found"
    if not state.search.kept and not state.task.forms:
        deps = runtime.context
        more = loop < MAX_LOOP and deps.meter.remaining_seconds() > 0 and deps.can_search(state)
        outcome = RetrievalOutcome.RETRY if more else RetrievalOutcome.FALLBACK
        reason = "run.reason.nothing_found"
    return {"note": noted(outcome, reason, loop=loop, kept=len(state.search.kept), forms=len(state.task.forms) or "")}
