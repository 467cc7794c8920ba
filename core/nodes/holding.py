"""Holds events back that show an answer: a later node shows what passed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from core.domain.events import AnswerDelta, AnswerReady, Event
from core.state import Deps, State, Update

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


class Node(Protocol):
    def __call__(self, state: State, runtime: Runtime[Deps]) -> Update: ...


def held(node: Node, *kinds: type) -> Node:
    """The node without its events of these kinds: those that show an answer, where none are named."""
    kept_back = kinds or (AnswerDelta, AnswerReady)

    def holding(state: State, runtime: Runtime[Deps]) -> Update:
        deps = runtime.context

        def emit(event: Event) -> None:
            if not isinstance(event, kept_back):
                deps.emit(event)

        return node(state, runtime.override(context=replace(deps, emit=emit)))

    return holding
