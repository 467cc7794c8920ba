"""Whether passages can tell how two things are connected: where a sentence, or two in a row, name both."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from core.agents.state import Deps, State
from core.graph.model import Entity
from core.graph.questions import GraphQuestion
from core.platform.errors import NotFoundError
from core.platform.language.sentences import sentences
from core.search.model import Passage


def says_connection(state: State, deps: Deps, passages: Sequence[Passage]) -> bool:
    """True for every other question."""
    if state.search.asked.statement or state.search.asked.kind is not GraphQuestion.CONNECTION:
        return True
    try:
        one, *_, other = _ends(state, deps)
    except NotFoundError:
        return False
    said = (piece for passage in passages for piece in pairwise(["", *sentences(passage.chunk.text)]))
    return any(one.is_named_in(piece) and other.is_named_in(piece) for piece in map(" ".join, said))


def _ends(state: State, deps: Deps) -> list[Entity]:
    asked = state.search.asked
    if asked.names:
        return [Entity(f"name {name}", state.base_id, name, "") for name in asked.names]
    return [deps.graph.entity(entity_id) for entity_id in asked.entities]
