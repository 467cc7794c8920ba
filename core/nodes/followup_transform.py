"""Makes a follow-up stand alone; one that only asks for the last answer in another form needs no new evidence."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from core.nodes.deciding import noted
from core.nodes.plan import SEARCHES, Route, plan_search
from core.state import Deps, State, Update

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


class Needs(StrEnum):
    EVIDENCE = "evidence"
    HISTORY = "history"


def followup_transform(state: State, runtime: Runtime[Deps]) -> Update:
    if not state.tools:
        return {"note": noted(Needs.HISTORY, "run.reason.rework")}
    resolved = plan_search(state, runtime)
    route = resolved["route"] if resolved["route"] in SEARCHES else Route.CHUNKS.value
    note = noted(Needs.EVIDENCE, "run.reason.followup", resolved=resolved["resolved_question"])
    return {**resolved, "route": route, "note": note}


def after_followup(state: State) -> Needs:
    return Needs(state.note.outcome)
