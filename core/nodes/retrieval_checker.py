"""Whether the tools found enough to answer from; if not, another query, once."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from core.nodes.deciding import noted
from core.state import Deps, State, Update

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

MAX_LOOP = 2
"""Queries of one question."""


class Retrieved(StrEnum):
    FOUND = "found"
    RETRY = "retry"
    FALLBACK = "fallback"


def retrieval_checker(state: State, runtime: Runtime[Deps]) -> Update:
    loop = state.corrections + 1
    outcome, reason = Retrieved.FOUND, "run.reason.enough_found"
    if not state.kept and not state.forms:
        more = loop < MAX_LOOP and runtime.context.meter.remaining_seconds() > 0
        outcome = Retrieved.RETRY if more else Retrieved.FALLBACK
        reason = "run.reason.nothing_found"
    return {"note": noted(outcome, reason, loop=loop, kept=len(state.kept), forms=len(state.forms) or "")}


def after_checker(state: State) -> Retrieved:
    return Retrieved(state.note.outcome)
