"""Finds the memories relevant to the question; finding none is a valid result, shown in the trace."""

from dataclasses import replace

from core.agents.nodes.plan.detect_language import answer_language
from core.agents.nodes.runtime import asked_once, noted
from core.agents.state import NodeRuntime, State, Update
from core.memory.model import Scope
from core.memory.relevance import best_of
from core.platform.errors import ServiceError
from core.runs.events import Degraded, MemoriesRecalled


def recall_memory(state: State, runtime: NodeRuntime) -> Update:
    if not state.use_memory:
        return {"memory_ids": (), "note": noted("off", "run.reason.memory_off")}
    deps = runtime.context
    try:
        found = asked_once(deps, deps.memories.search, state.question, Scope(state.base_id, state.thread_id))
    except ServiceError as error:
        deps.emit(Degraded("recall_memory", error.key))
        return {"memory_ids": (), "note": noted("failed", "run.reason.memory_failed")}
    if not found:
        return {"memory_ids": (), "note": noted("none", "run.reason.memory_none")}
    versions = {state.base_id: deps.bases.get(state.base_id).index_version}
    best = best_of(found, versions)
    if not best:
        return {"memory_ids": (), "note": noted("none", "run.reason.memory_none", candidates=len(found))}
    ids = tuple(item.memory.id for item in best)
    deps.emit(MemoriesRecalled(tuple((item.memory.id, item.memory.text) for item in best)))
    stale = sum(item.stale for item in best)
    note = noted("found", "run.reason.memory_found", count=len(best), candidates=len(found), outdated=stale or "")
    return {"memory_ids": ids, "note": note}


def retrieve_memory(state: State, runtime: NodeRuntime) -> Update:
    """Also sets the language and resets the previous turn's counters."""
    return {
        **recall_memory(state, runtime),
        "language": answer_language(state, runtime.context),
        "search": replace(state.search, corrections=0, tried_routes=()),
    }
