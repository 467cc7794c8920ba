"""Names of the knowledge graph that stand in a question and what was said before it."""

from collections.abc import Sequence

from core.agents.nodes.runtime import MAX_NAMES, asked_once
from core.agents.state import Deps, State
from core.graph.model import Entity
from core.rulebook.messages import KnownNames
from core.runs.model import Turn

MAX_LOOKED_AT = 100
"""Of a conversation: a long answer has many names, and those of persons are seldom the longest."""


def names_said(state: State, deps: Deps, turns: Sequence[Turn], question: str) -> KnownNames:
    """Those of the question, and of the turns that it may lean on, the newest first: what is far back is not read."""
    said = "\n".join([question, *(turn.text for turn in reversed(turns))])
    found = named_in(said, state, deps)
    people = tuple(entity.name for entity in found if entity.type == "PERSON")
    return KnownNames(tuple(entity.name for entity in found[:MAX_NAMES]), people[:MAX_NAMES], deps.encoder)


def named_in(text: str, state: State, deps: Deps) -> list[Entity]:
    """At most MAX_LOOKED_AT, the longest names first. Every node asks for as many, so that the graph is asked once."""
    return asked_once(deps, deps.graph.named_in, state.base_id, text, MAX_LOOKED_AT)
