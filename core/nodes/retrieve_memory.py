"""Begins a turn with its memories and its language; the counters of the turn before are gone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.nodes.detect_language import language_of
from core.nodes.recall_memory import recall_memory
from core.state import Deps, State, Update

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


def retrieve_memory(state: State, runtime: Runtime[Deps]) -> Update:
    earlier = [turn.text for turn in state.history if turn.role == "user"]
    return {
        **recall_memory(state, runtime),
        "language": language_of(state.question, earlier),
        "corrections": 0,
        "tried_routes": (),
    }
