"""Resolves a follow-up into a standalone question; a mere rewording of the last answer needs no new evidence."""

from dataclasses import replace
from enum import StrEnum

from core.agents.nodes.plan.plan import plan_search
from core.agents.nodes.runtime import noted
from core.agents.state import SEARCHES, NodeRuntime, Route, State, Update


class FollowupOutcome(StrEnum):
    EVIDENCE = "evidence"
    HISTORY = "history"


def followup_transform(state: State, runtime: NodeRuntime) -> Update:
    if not state.task.tools:
        return {"note": noted(FollowupOutcome.HISTORY, "run.reason.rework")}
    resolved = plan_search(state, runtime)
    search = resolved["search"]
    if search.route not in SEARCHES:
        search = replace(search, route=Route.CHUNKS)
    note = noted(FollowupOutcome.EVIDENCE, "run.reason.followup", resolved=resolved["resolved_question"])
    return {**resolved, "search": search, "note": note}
