"""A direct answer for workflows without memory nodes: recalls and stores memories itself."""

from collections.abc import Callable
from dataclasses import replace

from core.agents.intents import Intent
from core.agents.nodes.answer.direct_answer import direct_answer, direct_answer_unseen
from core.agents.nodes.memory.consolidate_memory import consolidate_memory
from core.agents.nodes.memory.recall_memory import recall_memory
from core.agents.nodes.understood import understood_in
from core.agents.state import NodeRuntime, State, Update


def remembering_answer(state: State, runtime: NodeRuntime) -> Update:
    """Streams a draft to the reader; a later check publishes it."""
    return _answered(direct_answer, state, runtime)


def remembering_answer_unseen(state: State, runtime: NodeRuntime) -> Update:
    """Writes a draft that is not shown before it is checked."""
    return _answered(direct_answer_unseen, state, runtime)


def _answered(write: Callable[[State, NodeRuntime], Update], state: State, runtime: NodeRuntime) -> Update:
    if understood_in(state, runtime.context).perhaps is Intent.ABOUT_USER:
        state = replace(state, memory_ids=recall_memory(state, runtime)["memory_ids"])
    update = write(state, runtime)
    consolidate_memory(replace(state, draft=update["draft"]), runtime)
    return update
