"""Grades what was found before anything is written: relevant, or another search, or the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.nodes.grade_evidence import grade
from core.state import Deps, State, Update

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


def evaluate_relevance(state: State, runtime: Runtime[Deps]) -> Update:
    return grade(state, runtime.context, "evaluate_relevance")
