"""Possible readings of a follow-up that cannot be resolved with certainty without a model."""

from core.agents.nodes.plan.names_said import names_said
from core.agents.nodes.runtime import understood_in
from core.agents.state import Deps, State
from core.models.ports import BUILT_IN
from core.rulebook.messages import readings


def choices_of(state: State, deps: Deps) -> tuple[str, ...]:
    """Standalone questions to choose from; empty if the follow-up is clear."""
    if deps.llm.engine != BUILT_IN or not state.history or not understood_in(state, deps).is_question:
        return ()
    return readings(state.question, state.history, names_said(state, deps, state.history, state.question))
