"""What a message says to the last answer about statements of the user: yes, no, take it back, or what is right."""

from core.agents.nodes.memory.telling import statements, statements_waiting, told_last
from core.agents.nodes.runtime import asked_once
from core.agents.state import Deps, State
from core.memory.keeping import nearest, replaced_by
from core.memory.model import Memory, MemoryReply, MemoryStatus


def accepted(state: State, deps: Deps) -> list[Memory]:
    """The statements that the last answer offered to keep, kept or had declined, and the message says yes to."""
    said = _reply(state, deps)
    if said in {MemoryReply.YES, MemoryReply.REPLACE} and not was_to_forget(state, deps):
        return _offered(state, deps) or _kept(state, deps)
    return _declined(state, deps) if said is MemoryReply.UNDO else []


def dropped(state: State, deps: Deps) -> list[Memory]:
    """The statements that the last answer offered to keep, kept or listed to be forgotten, and that are to go."""
    said = _reply(state, deps)
    if was_to_forget(state, deps):
        return told_last(state, deps) if said is MemoryReply.YES else []
    return _offered(state, deps) or _kept(state, deps) if said in {MemoryReply.NO, MemoryReply.UNDO} else []


def restored_by(memory: Memory, state: State, deps: Deps) -> list[Memory]:
    """The statements that it replaced, which hold again once it is taken back, but not once it is forgotten."""
    is_taken_back = memory.status is MemoryStatus.ACTIVE and not was_to_forget(state, deps)
    return replaced_by(deps.memories, memory, deps.meanings) if is_taken_back else []


def spared(state: State, deps: Deps) -> list[Memory]:
    """The statements that the last answer listed to be forgotten, and that are to stay."""
    is_refused = _reply(state, deps) in {MemoryReply.NO, MemoryReply.UNDO} and was_to_forget(state, deps)
    return told_last(state, deps) if is_refused else []


def disputed(state: State, deps: Deps) -> list[Memory]:
    """The statements that the last answer told, neither offered nor kept, and that the message says no to."""
    is_refused = _reply(state, deps) in {MemoryReply.NO, MemoryReply.UNDO} and not was_to_forget(state, deps)
    if not is_refused or dropped(state, deps) or accepted(state, deps):
        return []
    return told_last(state, deps)


def corrected(state: State, deps: Deps) -> Memory | None:
    """The statement of the last answer that the message corrects: of several the one nearest in meaning."""
    if _reply(state, deps) is not MemoryReply.CORRECT or deps.meanings.request(state.question):
        return None
    answer = state.history[-1].text
    distances = {one.id: distance for one, distance in nearest(deps.memories, state.question)}
    told = sorted(told_last(state, deps), key=lambda one: answer.index(one.text))
    return min(told, key=lambda one: distances.get(one.id, 2.0), default=None)


def in_place_of(state: State, deps: Deps) -> list[Memory]:
    """The statements that a correction, or a yes that says so, takes the place of."""
    if wrong := corrected(state, deps):
        return [wrong]
    if _reply(state, deps) is not MemoryReply.REPLACE:
        return []
    given, told = accepted(state, deps), {one.id: one for one in statements(state, deps)}
    others = told.keys() - {one.id for one in given}
    near = (one for memory in given for one, _ in nearest(deps.memories, memory.text) if one.id in others)
    return [one for one in near if one.status is MemoryStatus.ACTIVE][:1]


def _reply(state: State, deps: Deps) -> MemoryReply:
    if not state.use_memory or not state.history:
        return MemoryReply.OTHER
    return deps.meanings.reply(state.question)


def was_to_forget(state: State, deps: Deps) -> bool:
    """Whether the question before asked to forget something."""
    asked = next((turn.text for turn in reversed(state.history) if turn.role == "user"), "")
    request = deps.meanings.request(asked) if asked else None
    return request is not None and request.forgets


def _kept(state: State, deps: Deps) -> list[Memory]:
    run_id = state.history[-1].run_id
    return [one for one in told_last(state, deps) if run_id and one.run_id == run_id]


def _offered(state: State, deps: Deps) -> list[Memory]:
    answer = state.history[-1].text
    return sorted(
        (one for one in statements_waiting(state, deps) if one.text in answer), key=lambda one: answer.index(one.text)
    )


def _declined(state: State, deps: Deps) -> list[Memory]:
    answer = state.history[-1].text
    known = {one.text for one in statements(state, deps)}
    declined = asked_once(deps, deps.memories.find, MemoryStatus.REJECTED)
    return [one for one in declined if one.text in answer and one.text not in known]
