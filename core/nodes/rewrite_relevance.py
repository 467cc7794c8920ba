"""Searches for entirely other words, and no longer only in the documents that the question named."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.nodes.rewrite_query import rewrite_query
from core.state import Deps, State, Update

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


def rewrite_relevance(state: State, runtime: Runtime[Deps]) -> Update:
    return {**rewrite_query(state, runtime), "documents": ()}
