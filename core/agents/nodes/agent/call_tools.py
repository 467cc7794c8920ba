"""Calls the tools that an agent requested, records them in the trace and collects the evidence; for all agents."""

import json
import time
from collections.abc import Iterable
from dataclasses import replace

from core.agents.nodes.agent.think import Tools
from core.agents.nodes.evidence import passages_of, shown
from core.agents.nodes.runtime import MAX_QUERY, noted
from core.agents.nodes.search.grade_evidence import sift
from core.agents.state import Deps, NodeRuntime, Note, SearchState, State, Update
from core.agents.tools.knowledge_search import SIMILAR
from core.agents.tools.registry import session_tools
from core.agents.tools.tool import ToolOutcome, Toolset
from core.models.agent_ports import ToolUse
from core.platform.errors import BudgetError
from core.runs.events import Degraded, GraphTouched, PassagesGraded, ToolCalled
from core.search.model import Hit

NODE = "tools"


def call_tools(toolset: Toolset, state: State, runtime: NodeRuntime) -> Update:
    """Calls the tools requested in this turn one after another, within the budget."""
    deps = runtime.context
    tools = session_tools(toolset, state, deps)
    wanted, turn = state.agent.wanted, replace(state.agent, wanted=())
    outcomes: list[ToolOutcome] = []
    for call in wanted:
        if is_repeated(call, turn.calls):
            turn = replace(turn, forced=True)
            continue
        try:
            use, outcome = tool_call(call, tools, state, deps)
        except BudgetError as error:
            turn = replace(turn, forced=True)
            return {"search": state.search, "agent": turn, "note": noted("limit", error.key)}
        state = replace(state, search=_evidence(use, outcome, state, deps))
        turn = replace(turn, calls=(*turn.calls, use))
        outcomes.append(outcome)
    rounds = turn.rounds + 1
    turn = replace(turn, rounds=rounds, forced=turn.forced or rounds >= deps.max_tool_rounds)
    note = _note(wanted, outcomes, turn.forced)
    if wanted and not outcomes:
        note = noted("limit", "run.reason.tool_repeated", tools=wanted[0].tool)
    return {"search": state.search, "agent": turn, "note": note}


def _note(wanted: tuple[ToolUse, ...], outcomes: list[ToolOutcome], forced: bool) -> Note:
    details: dict[str, object] = {"tools": ", ".join(use.tool for use in wanted)}
    searches = [outcome.best for outcome in outcomes if outcome.best is not None]
    if searches:
        details["similarity"] = f"{max(searches):.2f}"
        details["count"] = sum(len(outcome.hits) + len(outcome.web) for outcome in outcomes)
    return noted("limit" if forced else "called", "run.reason.tools_called", **details)


def _evidence(use: ToolUse, outcome: ToolOutcome, state: State, deps: Deps) -> SearchState:
    """Evidence for the answer; web results only if the documents yielded nothing."""
    known = state.search
    if outcome.fault:
        return replace(known, web_fault=outcome.fault)
    if outcome.web and not known.kept:
        similar = outcome.best is not None and outcome.best >= SIMILAR
        return replace(known, web=outcome.web if similar else (), web_fault="")
    if not outcome.hits:
        return known
    near = sorted((hit for hit in outcome.hits if hit.score >= SIMILAR), key=lambda hit: -hit.score)
    low = [hit for hit in outcome.hits if hit.score < SIMILAR]
    kept, refused = sift(state.standalone_question, passages_of(near, deps), deps.readings, state.options.insisted)
    refused += [(passage, "run.rejected.low_score") for passage in passages_of(low, deps)]
    deps.emit(PassagesGraded(NODE, tuple(map(shown, kept)), tuple(shown(it, reason) for it, reason in refused)))
    hits = (*known.kept, *(Hit(it.chunk.id, it.score, it.sources) for it in kept))
    query = str(json.loads(use.arguments).get("query", ""))[:MAX_QUERY]
    return replace(
        known,
        query=query,
        kept=tuple({hit.chunk_id: hit for hit in hits}.values()),
        hits=tuple(outcome.hits),
        tried_queries=(*known.tried_queries, query),
        retrievals=known.retrievals + 1,
    )


def tool_call(wanted: ToolUse, tools: Tools, state: State, deps: Deps) -> tuple[ToolUse, ToolOutcome]:
    """The call with its result; an unknown tool gives an error text. Raises BudgetError, shown in the trace."""
    try:
        deps.meter.before_tool(wanted.tool, wanted.arguments)
    except BudgetError as error:
        deps.emit(Degraded(wanted.tool, error.key))
        raise
    started = time.perf_counter()
    tool = next((tool for tool in tools if tool.name == wanted.tool), None)
    outcome = tool.run(wanted.arguments, state, deps) if tool else _unknown(wanted.tool, tools)
    seconds = time.perf_counter() - started
    deps.emit(ToolCalled(wanted.tool, wanted.arguments, outcome.text, seconds, wanted.call_id))
    if outcome.entity_ids:
        deps.emit(GraphTouched(NODE, outcome.entity_ids))
    return replace(wanted, result=outcome.text), outcome


def is_repeated(wanted: ToolUse, calls: Iterable[ToolUse]) -> bool:
    """Whether it was called before with these arguments, so that nothing new can come of it."""
    given = json.loads(wanted.arguments)
    return any(use.tool == wanted.tool and json.loads(use.arguments) == given for use in calls)


def _unknown(name: str, tools: Tools) -> ToolOutcome:
    return ToolOutcome(f"Error: there is no tool '{name}'. Tools: {', '.join(tool.name for tool in tools)}")
