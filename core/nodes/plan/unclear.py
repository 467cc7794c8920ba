"""Possible readings of a follow-up that cannot be resolved with certainty without a model."""

from core.builtin.intent.followups import Names, readings
from core.nodes.runtime import MAX_NAMES, understood_in
from core.ports.models import BUILT_IN
from core.state import Deps, State


def choices_of(state: State, deps: Deps) -> tuple[str, ...]:
    """Standalone questions to choose from; empty if the follow-up is clear."""
    if deps.llm.engine != BUILT_IN or not state.history or not understood_in(state, deps).is_question:
        return ()
    said = "\n".join([*(turn.text for turn in state.history), state.question])
    found = deps.graph.named_in(state.base_id, said, MAX_NAMES)
    people = tuple(entity.name for entity in found if entity.type == "PERSON")
    return readings(state.question, state.history, Names(tuple(entity.name for entity in found), people, deps.encoder))
