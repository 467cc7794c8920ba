"""Turns to the web where a node finds that the documents do not answer; puts away what the web said in vain."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from core.nodes.check_answer import Check
from core.nodes.holding import Node
from core.nodes.web_search import ROUTE
from core.state import Deps, State, Update

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

BESIDE = "run.reason.web_beside"


class Fallback(StrEnum):
    WEB = "web"


def or_web(node: Node) -> Node:
    """The node with one outcome more, taken instead of `nothing`, once, where the web may be searched."""

    def falling_back(state: State, runtime: Runtime[Deps]) -> Update:
        update = node(state, runtime)
        note = update["note"]
        if note.outcome not in {Check.RETRY, Check.NOTHING}:
            return update
        if state.web:
            return {**update, "web": (), "web_fault": BESIDE}
        if note.outcome == Check.NOTHING and _is_open(state, runtime.context):
            return {**update, "note": replace(note, outcome=Fallback.WEB.value)}
        return update

    return falling_back


def after_either(state: State) -> str:
    """The node's own outcome, or the web."""
    return state.note.outcome


def _is_open(state: State, deps: Deps) -> bool:
    return deps.web is not None and ROUTE not in state.tried_routes and deps.meter.remaining_seconds() > 0
