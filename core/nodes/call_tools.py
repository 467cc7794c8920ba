"""Calls the tool that the agent asked for and tells it how good the best result is."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.domain.events import Degraded, PassagesGraded, ToolCalled
from core.domain.passages import Hit
from core.errors import BudgetError, InputError, ServiceError
from core.nodes.deciding import noted
from core.nodes.grade_evidence import sift
from core.nodes.reading import passages_of, shown
from core.nodes.web_search import MAX_TEXT, RESULTS
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


def call_tools(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    wanted = state.wanted[0]
    started = time.perf_counter()
    try:
        deps.meter.before_tool(wanted.tool, wanted.arguments)
        said = _called(wanted.tool, str(json.loads(wanted.arguments)["query"]), state, deps)
    except BudgetError as error:
        deps.emit(Degraded(wanted.tool, error.key))
        return {"wanted": (), "forced": True, "note": noted("limit", error.key)}
    deps.emit(ToolCalled(wanted.tool, wanted.arguments, said.text, time.perf_counter() - started))
    calls = (*state.calls, replace(wanted, result=said.text))
    forced = len(calls) >= deps.max_tool_rounds
    details = {"tools": wanted.tool, "similarity": f"{said.best:.2f}", "count": len(said.hits) + len(said.web)}
    note = noted("limit" if forced else "called", "run.reason.tools_called", **details)
    update: Update = {"calls": calls, "wanted": (), "forced": forced, "note": note}
    return {**update, **_evidence(said, state, deps)}


def _called(name: str, query: str, state: State, deps: Deps) -> _Said:
    tools = {tool.name: tool for tool in session_tools(deps.library, state.base_id, deps.web is not None)}
    tool = tools.get(name)
    if tool is None:
        return _Said(f"Error: there is no tool '{name}' in this session. Tools: {', '.join(tools)}")
    if tool.reach is Reach.WEB:
        return _web(query, tool, deps)
    found = knowledge_search(deps.retriever, deps.library, tool.base_id, query)
    return _Said(found.text, found.hits, best=found.best)


def _web(query: str, tool: SessionTool, deps: Deps) -> _Said:
    try:
        results = tuple(deps.web.search(query, RESULTS))[:RESULTS] if deps.web else ()
    except (ServiceError, InputError) as error:
        deps.emit(Degraded(tool.name, error.key))
        return _Said(f"Error: {error}")
    cut = tuple(replace(result, text=result.text[:MAX_TEXT]) for result in results)
    text = "\n\n".join(f"{result.title} <{result.url}>\n{result.text}" for result in cut)
    best = max((SIMILAR if it.score is None else it.score for it in cut), default=0.0)
    return _Said(text or f"Nothing found for '{query}'.", web=cut, best=best)


def _evidence(said: _Said, state: State, deps: Deps) -> Update:
    """What the answer may rest on; results of the web only where the documents brought nothing."""
    if said.web and not state.kept:
        return {"web": said.web if said.best >= SIMILAR else ()}
    if not said.hits:
        return {}
    similar = [hit for hit in said.hits if hit.score >= SIMILAR]
    low = [hit for hit in said.hits if hit.score < SIMILAR]
    kept, refused = sift(state.resolved_question or state.question, passages_of(similar, deps.library))
    refused += [(passage, "run.rejected.low_score") for passage in passages_of(low, deps.library)]
    deps.emit(PassagesGraded(NODE, tuple(map(shown, kept)), tuple(shown(it, reason) for it, reason in refused)))
    hits = (*state.kept, *(Hit(it.chunk.id, it.score, it.sources) for it in kept))
    query = str(json.loads(state.wanted[0].arguments)["query"])
    return {
        "kept": tuple({hit.chunk_id: hit for hit in hits}.values()),
        "hits": tuple(said.hits),
        "tried_queries": (*state.tried_queries, query),
        "retrievals": state.retrievals + 1,
    }
