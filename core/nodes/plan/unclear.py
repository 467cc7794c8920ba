"""The two ways to read a follow-up that cannot be resolved surely, without a model that could."""

from core.builtin.intent.followups import Names, readings
from core.nodes.runtime import MAX_NAMES, understood_in
from core.ports.models import BUILT_IN
from core.state import Deps, State


def choices_of(state: State, deps: Deps) -> tuple[str, ...]:
    """Questions that stand alone, of which the user chooses one; empty where nothing has to be asked."""
    if deps.llm.engine != BUILT_IN or not state.history or not understood_in(state, deps).is_question:
        return ()
    said = "\n".join([*(turn.text for turn in state.history), state.question])
    found = deps.graph.named_in(state.base_id, said, MAX_NAMES)
    people = tuple(entity.name for entity in found if entity.type == "PERSON")
    return readings(state.question, state.history, Names(tuple(entity.name for entity in found), people))
