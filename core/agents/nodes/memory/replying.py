"""What a message says to the last answer about statements of the user: yes, no, take it back, or what is right."""

from collections.abc import Sequence

from core.agents.intents import Intent
from core.agents.nodes.memory.telling import replaceable, said_in, statements, statements_waiting, told_last
from core.agents.nodes.runtime import asked_once
from core.agents.state import Deps, State
from core.memory.contradictions import contradicted
from core.memory.keeping import SAME_THING, as_before, nearest, replaced_by
from core.memory.model import Memory, MemoryKind, MemoryReply, MemoryStatus, Scope
from core.platform.texts import beginnings
from core.rulebook.evidence import is_about_what_is_named
from core.rulebook.messages import PersonalMessage, Question, with_denied
from core.runs.model import AnswerOutcome, Turn

_KEPT, _OFFERED, _DECLINED, _UNUSED, _LISTED = (
    f"answer.direct.{name}" for name in ("statement", "offered", "declined", "unused", "forget")
)
FARTHEST = 2.0
"""Cosine distance of what points in opposite directions."""


def replies_to_last(state: State, deps: Deps) -> bool:
    """Whether the message replies to what the last answer offered, kept or told of the user's statements."""
    return refuses(state, deps) or bool(accepted(state, deps)) or corrected(state, deps) is not None


def refuses(state: State, deps: Deps) -> bool:
    """Whether it declines, disputes or takes something back, and states nothing."""
    return any(of(state, deps) for of in (dropped, brought_back, spared, disputed, has_nothing_to_undo))


def accepted(state: State, deps: Deps) -> list[Memory]:
    """The statements that the last answer offered to keep or kept and that the message says yes to, oldest first."""
    if _reply(state, deps) not in {MemoryReply.YES, MemoryReply.REPLACE} or was_to_forget(state):
        return []
    last = _to_replace(state, deps) or state.history[-1]
    return sorted(_offered(last, state, deps) or _kept(last, state, deps), key=lambda one: one.created_at)


def _to_replace(state: State, deps: Deps) -> Turn | None:
    """The last answer that said how to replace a statement, if the message does so, also after other questions."""
    if _reply(state, deps) is not MemoryReply.REPLACE:
        return None
    offers = (turn for turn in reversed(state.history) if _says_how_to_replace(turn))
    return next((turn for turn in offers if _offered(turn, state, deps)), None)


def _says_how_to_replace(turn: Turn) -> bool:
    return any(words in turn.text for words in beginnings("answer.direct.or_replace", "older"))


def dropped(state: State, deps: Deps) -> list[Memory]:
    """The statements that an answer offered to keep, kept or listed to be forgotten, and that are to go."""
    said = _reply(state, deps)
    if was_to_forget(state):
        return _listed(state, deps) if said is MemoryReply.YES else []
    turn = state.history[-1] if said is MemoryReply.NO else _to_undo(state, deps)
    if turn is None or (said is MemoryReply.UNDO and _declined(turn, state, deps)):
        return []
    return _offered(turn, state, deps) or _kept(turn, state, deps)


def brought_back(state: State, deps: Deps) -> list[Memory]:
    """The statements that are as they were before they were declined or forgotten, which the message takes back."""
    turn = _to_undo(state, deps)
    return list(map(as_before, _declined(turn, state, deps))) if turn else []


def has_nothing_to_undo(state: State, deps: Deps) -> bool:
    """Whether the message takes back what the last answer changed, of which nothing is left."""
    is_undo = _reply(state, deps) is MemoryReply.UNDO and _is_of_memory(state.history[-1])
    return is_undo and _to_undo(state, deps) is None


def restored_by(memory: Memory, state: State, deps: Deps) -> list[Memory]:
    """The statements that it replaced, as they were, once it is taken back, but not once it is forgotten."""
    if was_to_forget(state):
        return []
    return [as_before(one) for one in replaced_by(deps.memories, memory, deps.meanings)]


def spared(state: State, deps: Deps) -> list[Memory]:
    """The statements that the last answer listed to be forgotten, and that are to stay."""
    is_refused = _reply(state, deps) in {MemoryReply.NO, MemoryReply.UNDO} and was_to_forget(state)
    return _listed(state, deps) if is_refused else []


def disputed(state: State, deps: Deps) -> list[Memory]:
    """The statements that the last answer told, neither offered nor kept, and that the message says no to."""
    is_refused = _reply(state, deps) in {MemoryReply.NO, MemoryReply.UNDO} and not was_to_forget(state)
    if not is_refused or dropped(state, deps) or brought_back(state, deps):
        return []
    return told_last(state, deps)


def corrected(state: State, deps: Deps) -> Memory | None:
    """The statement of the last answer that the message corrects: of several the one nearest in meaning.

    One that says by itself what it is about is of another thing unless it is near, or opens as a correction where one
    statement was told; beside passages of documents only a near one is meant. One that contradicts other statements
    alone corrects those. One that says which value is wrong corrects the statement that has it, wherever it was told.
    """
    if state.use_memory and (denied := _denied(state, deps)):
        return denied
    if _reply(state, deps) is not MemoryReply.CORRECT or deps.meanings.request(state.question):
        return None
    return _nearest_meant(PersonalMessage(state.question), state, deps)


def _nearest_meant(message: PersonalMessage, state: State, deps: Deps) -> Memory | None:
    said = " ".join(state.question.split()).removeprefix(message.opening)
    distances = {one.id: distance for one, distance in nearest(deps.memories, said)}
    about = told_last(state, deps)
    told = [one.text for one in message.told.values()]
    if _contradicts_others_alone(told, about, state, deps):
        return None
    leans = Question(said).leans_on_history
    is_alone = state.history[-1].outcome != AnswerOutcome.CLOSEST
    may_be_far = is_alone and (leans or (len(about) == 1 and bool(message.opening or not told)))
    if not leans or message.names_writer:  # "My wife is Lan, she ..." leans on nothing before it
        about = [one for one in about if is_about_what_is_named(said, one.text, deps.encoder)]
    farthest = FARTHEST if may_be_far else SAME_THING
    near = [one for one in about if distances.get(one.id, FARTHEST) <= farthest]
    return min(near, key=lambda one: distances.get(one.id, FARTHEST), default=None)


def _denied(state: State, deps: Deps) -> Memory | None:
    """The one statement with the value that the message says is wrong, if it says nothing of anything else."""
    known = [] if PersonalMessage(state.question).asks else statements(state, deps)
    found = [one for one in known if with_denied(one.text, state.question)]
    return found[0] if len(found) == 1 else None


def _contradicts_others_alone(told: Sequence[str], about: Sequence[Memory], state: State, deps: Deps) -> bool:
    known = statements(state, deps)
    contrary = [one for text in told for one in contradicted(text, state.thread_id, known, deps.meanings)]
    return bool(contrary) and not any(one in contrary for one in about)


def corrects_documents(state: State, deps: Deps) -> bool:
    """Whether the message corrects an answer from documents, and says nothing of the person."""
    is_of_documents = bool(state.history) and state.history[-1].outcome == AnswerOutcome.ANSWERED
    is_correction = is_of_documents and deps.meanings.reply(state.question) is MemoryReply.CORRECT
    return is_correction and not PersonalMessage(state.question).names_writer


def in_place_of(state: State, deps: Deps) -> list[Memory]:
    """The statements that a correction, a yes that says so, or what is brought back takes the place of."""
    if wrong := corrected(state, deps):
        return [wrong]
    if turn := _to_undo(state, deps):
        back = {one.id for one in brought_back(state, deps)}
        return [one for one in said_in(turn.text, statements(state, deps)) if back and one.id not in back]
    if _reply(state, deps) is not MemoryReply.REPLACE:
        return []
    given, told = accepted(state, deps), {one.id: one for one in statements(state, deps)}
    others = told.keys() - {one.id for one in given}
    named = (older for memory in given if (older := replaceable(memory, deps)))
    return [one for one in named if one.id in others][:1]


def was_to_forget(state: State) -> bool:
    """Whether the last answer lists what is to be forgotten."""
    return bool(state.history) and _has(state.history[-1], _LISTED)


def _reply(state: State, deps: Deps) -> MemoryReply:
    if not state.use_memory or not state.history:
        return MemoryReply.OTHER
    return deps.meanings.reply(state.question)


def _has(turn: Turn, *keys: str) -> bool:
    """Whether the answer has the beginning of one of these sentences, in any language."""
    return any(words in turn.text for key in keys for words in beginnings(key, "statement"))


def _is_of_memory(turn: Turn) -> bool:
    return _has(turn, _KEPT, _OFFERED, _DECLINED, _UNUSED, _LISTED)


def _to_undo(state: State, deps: Deps) -> Turn | None:
    """The last answer that offered, kept or declined statements, if the message takes back what is left of it."""
    if _reply(state, deps) is not MemoryReply.UNDO:
        return None
    for turn in reversed(state.history):
        if turn.role == "user":
            if deps.intents.of(turn.text).intent is Intent.REWORK:  # the wording of its answer may be meant
                return None
        elif _is_of_memory(turn):
            is_left = any(of(turn, state, deps) for of in (_declined, _offered, _kept))
            return turn if is_left and not _has(turn, _LISTED) else None
    return None


def _listed(state: State, deps: Deps) -> list[Memory]:
    """Memories of every kind that the last answer lists."""
    in_force = asked_once(deps, deps.memories.active, Scope(state.base_id, state.thread_id))
    waiting = asked_once(deps, deps.memories.find, MemoryStatus.PROPOSED)
    return said_in(state.history[-1].text, [*in_force, *waiting])


def _kept(turn: Turn, state: State, deps: Deps) -> list[Memory]:
    made = [one for one in _said(turn, state, deps) if turn.run_id and one.run_id == turn.run_id]
    return [one for one in made if one.status is not MemoryStatus.REJECTED]


def _offered(turn: Turn, state: State, deps: Deps) -> list[Memory]:
    is_offer = _has(turn, _OFFERED) or _says_how_to_replace(turn)
    waiting = {one.id for one in statements_waiting(state, deps)} if is_offer else set()
    return [one for one in _said(turn, state, deps) if one.id in waiting]


def _declined(turn: Turn, state: State, deps: Deps) -> list[Memory]:
    is_of_it = _has(turn, _DECLINED, _UNUSED)
    return [one for one in _said(turn, state, deps) if is_of_it and one.status is MemoryStatus.REJECTED]


def _said(turn: Turn, state: State, deps: Deps) -> Sequence[Memory]:
    """The statements that the answer has, declined ones too, in the order in which it has them."""
    known = statements(state, deps)
    declined = asked_once(deps, deps.memories.find, MemoryStatus.REJECTED)
    texts, here = {one.text for one in known}, {"", state.base_id}
    others = [one for one in declined if one.text not in texts and one.base_id in here]
    return said_in(turn.text, [*known, *(one for one in others if one.kind is not MemoryKind.CONCLUSION)])
