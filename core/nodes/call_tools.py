"""Calls the tool that the agent asked for and tells it how good the best result is."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.domain.events import Degraded, PassagesGraded, ToolCalled
from core.domain.passages import Hit
from core.domain.tool_use import ToolUse
from core.errors import BudgetError, InputError, ServiceError
from core.nodes.deciding import noted
from core.nodes.grade_evidence import sift
from core.nodes.plan import MAX_QUERY
from core.nodes.reading import passages_of, shown
from core.nodes.web_search import FOUND_NOTHING, MAX_TEXT, RESULTS
from core.ports import WebResult
from core.state import Deps, State, Update
from core.tools.knowledge_search import knowledge_search
from core.tools.session_tools import Reach, SessionTool, session_tools

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

NODE = "tools"
SIMILAR = 0.3
"""The similarity from which on a result is answered from."""


@dataclass(frozen=True, slots=True)
class _Said:
    text: str
    hits: tuple[Hit, ...] = ()
    web: tuple[WebResult, ...] = ()
    best: float = 0.0
    fault: str = ""
    """Why the web brought nothing: a catalogue key."""


def call_tools(state: State, runtime: Runtime[Deps]) -> Update:
    """Every tool that was asked for in this turn, one after another, as far as the budget goes."""
    deps = runtime.context
    evidence: Update = {}
    best, found = 0.0, 0
    for wanted in state.wanted:
        started = time.perf_counter()
        try:
            deps.meter.before_tool(wanted.tool, wanted.arguments)
        except BudgetError as error:
            deps.emit(Degraded(wanted.tool, error.key))
            return {**evidence, "calls": state.calls, "wanted": (), "forced": True, "note": noted("limit", error.key)}
        query = _query(wanted.arguments)
        said = _called(wanted, query, state, deps)
        seconds = time.perf_counter() - started
        deps.emit(ToolCalled(wanted.tool, wanted.arguments, said.text, seconds, wanted.call_id))
        more = _evidence(said, query, state, deps)
        evidence = {**evidence, **more}
        state = replace(replace(state, **more), calls=(*state.calls, replace(wanted, result=said.text)))
        best, found = max(best, said.best), found + len(said.hits) + len(said.web)
    rounds = state.tool_rounds + 1
    forced = rounds >= deps.max_tool_rounds
    tools = ", ".join(use.tool for use in state.wanted)
    details = {"tools": tools, "similarity": f"{best:.2f}", "count": found}
    note = noted("limit" if forced else "called", "run.reason.tools_called", **details)
    settled: Update = {"calls": state.calls, "wanted": (), "tool_rounds": rounds, "forced": forced, "note": note}
    return {**evidence, **settled}


def _query(arguments: str) -> str:
    """Empty when the model gave none."""
    given = json.loads(arguments).get("query")
    return " ".join(given.split())[:MAX_QUERY] if isinstance(given, str) else ""


def _called(wanted: ToolUse, query: str, state: State, deps: Deps) -> _Said:
    tools = {tool.name: tool for tool in session_tools(deps.library, state.base_id, deps.web is not None)}
    tool = tools.get(wanted.tool)
    if tool is None:
        return _Said(f"Error: there is no tool '{wanted.tool}' in this session. Tools: {', '.join(tools)}")
    if not query:
        return _Said(f"Error: the arguments of {tool.name} do not fit: it takes a query.")
    if tool.reach is Reach.WEB:
        return _web(query, tool, deps)
    found = knowledge_search(deps.retriever, deps.library, tool.base_id, query)
    return _Said(found.text, found.hits, best=found.best)


def _web(query: str, tool: SessionTool, deps: Deps) -> _Said:
    try:
        results = tuple(deps.web.search(query, RESULTS))[:RESULTS] if deps.web else ()
    except (ServiceError, InputError) as error:
        deps.emit(Degraded(tool.name, error.key))
        return _Said(f"Error: {error}", fault=error.key)
    cut = tuple(replace(result, text=result.text[:MAX_TEXT]) for result in results)
    text = "\n\n".join(f"{result.title} <{result.url}>\n{result.text}" for result in cut)
    best = max((SIMILAR if it.score is None else it.score for it in cut), default=0.0)
    fault = "" if cut else FOUND_NOTHING
    return _Said(text or f"Nothing found for '{query}'.", web=cut, best=best, fault=fault)


def _evidence(said: _Said, query: str, state: State, deps: Deps) -> Update:
    """What the answer may rest on; results of the web only where the documents brought nothing."""
    if said.fault:
        return {"web_fault": said.fault}
    if said.web and not state.kept:
        return {"web": said.web if said.best >= SIMILAR else (), "web_fault": ""}
    if not said.hits:
        return {}
    similar = sorted((hit for hit in said.hits if hit.score >= SIMILAR), key=lambda hit: -hit.score)
    low = [hit for hit in said.hits if hit.score < SIMILAR]
    kept, refused = sift(state.resolved_question or state.question, passages_of(similar, deps))
    refused += [(passage, "run.rejected.low_score") for passage in passages_of(low, deps)]
    deps.emit(PassagesGraded(NODE, tuple(map(shown, kept)), tuple(shown(it, reason) for it, reason in refused)))
    hits = (*state.kept, *(Hit(it.chunk.id, it.score, it.sources) for it in kept))
    return {
        "query": query,
        "kept": tuple({hit.chunk_id: hit for hit in hits}.values()),
        "hits": tuple(said.hits),
        "tried_queries": (*state.tried_queries, query),
        "retrievals": state.retrievals + 1,
    }
