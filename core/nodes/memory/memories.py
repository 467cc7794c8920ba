"""What nodes know of memories: those a run recalled, those its answer used, and what the user said of themselves."""

from contextlib import suppress

from core.builtin.intent.statements import MAX_LENGTH, Statement, statement_in
from core.builtin.quoting.citing import without_markers
from core.domain.intents import Intent
from core.domain.memories import Memory, MemoryKind
from core.errors import NotFoundError
from core.language.terms import content_terms
from core.nodes.runtime import understood_in
from core.state import Deps, State

SAID = 0.5
"""The share of a memory's words from which an answer says it."""


def recalled(state: State, deps: Deps) -> tuple[Memory, ...]:
    """Those deleted since are left out."""
    found = []
    for memory_id in state.memory_ids:
        with suppress(NotFoundError):
            found.append(deps.memories.get(memory_id))
    return tuple(found)


def count_used(state: State, deps: Deps) -> tuple[Memory, ...]:
    """Those that the answer says, in words that it has neither from the question nor from its sources."""
    elsewhere = "\n".join([state.question, *(citation.text for citation in state.draft.citations)])
    said = set(content_terms(without_markers(state.draft.answer)))
    own = said - set(content_terms(elsewhere))
    used = tuple(memory for memory in recalled(state, deps) if _says(memory, said, own))
    if used:
        deps.memories.touch([memory.id for memory in used], state.run_id)
    return used


def _says(memory: Memory, said: set[str], own: set[str]) -> bool:
    words = set(content_terms(memory.text))
    return bool(own & words) and len(said & words) >= SAID * len(words)


def told_of_self(state: State, deps: Deps) -> Statement | None:
    """What the user says of themselves; the whole message where all of it is that."""
    if found := statement_in(state.question):
        return found
    if understood_in(state, deps).intent is not Intent.STATEMENT:
        return None
    return Statement(state.question.strip(" .。!！,，")[:MAX_LENGTH], MemoryKind.FACT, 6)
