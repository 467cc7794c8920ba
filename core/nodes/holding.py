"""Holds an answer back until it was checked: a reader never sees what is withdrawn a moment later."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from core.domain.events import AnswerDelta, AnswerReady, Event
from core.state import Deps, State, Update

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


class Node(Protocol):
    def __call__(self, state: State, runtime: Runtime[Deps]) -> Update: ...


def held(node: Node) -> Node:
    """The node without the events that show an answer; a later node shows what it wrote."""

    def holding(state: State, runtime: Runtime[Deps]) -> Update:
        deps = runtime.context

        def emit(event: Event) -> None:
            if not isinstance(event, AnswerDelta | AnswerReady):
                deps.emit(event)

        return node(state, runtime.override(context=replace(deps, emit=emit)))

    return holding
