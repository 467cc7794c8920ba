"""Calls the tools that an agent requested and collects the evidence; shared by all agents."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from core.agents.nodes.agent.tool_call import NODE, is_repeated, tool_call
from core.agents.nodes.evidence import passages_of, shown
from core.agents.nodes.runtime import MAX_QUERY, noted
from core.agents.nodes.search.grade_evidence import sift
from core.agents.state import Deps, Note, SearchState, State, Update
from core.agents.tools.passage_search import SIMILAR
from core.agents.tools.registry import session_tools
from core.agents.tools.tool import ToolOutcome, Toolset
from core.models.agent_ports import ToolUse
from core.platform.errors import BudgetError
from core.runs.events import PassagesGraded
from core.search.model import Hit

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


def call_tools(toolset: Toolset, state: State, runtime: Runtime[Deps]) -> Update:
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
