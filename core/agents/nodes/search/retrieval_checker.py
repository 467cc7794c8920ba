"""Checks whether the tools found enough to answer; if not, requests another query, once."""

from enum import StrEnum

from core.agents.nodes.runtime import noted
from core.agents.state import NodeRuntime, State, Update

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
