"""Writes the query, with the conversation in mind, and counts how often that was done."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.nodes.rewrite_query import rewrite_query
from core.state import Deps, State, Update

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


def query_builder(state: State, runtime: Runtime[Deps]) -> Update:
    update = rewrite_query(state, runtime)
    loop = update.get("corrections", state.corrections) + 1
    note = update["note"]
    return {**update, "note": replace(note, details=(*note.details, ("loop", str(loop))))}
