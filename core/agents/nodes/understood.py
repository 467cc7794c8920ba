"""What a message is for, and what it tells of the user."""

from collections.abc import Sequence
from dataclasses import replace

from core.agents.intents import A_QUESTION, COURTESIES, Intent, Understanding
from core.agents.nodes.memory.replying import corrected, corrects_documents, replies_to_last
from core.agents.nodes.memory.telling import is_in_documents, told_about_user, told_last
from core.agents.nodes.runtime import asked_once
from core.agents.state import Deps, State
from core.memory.contradictions import contradicted, says_change
from core.memory.keeping import told_on_same_thing
from core.memory.model import Memory, MemoryKind, MemoryRequest, MemoryStatus, Scope, labelled
from core.rulebook.messages import PersonalMessage, Statement, joined

TOLD = 0.15
"""Margin from which a sentence tells of the person: when their own weight is left out, 90 % of the examples that do
reach it, and 3 % of the others, among them sentences of documents and troubles that a manual solves."""
CLEARLY = 0.5
"""The same beside a question: of 123 messages for documents that also tell something 12 reach it, 25 the other one."""
OF_SELF = 0.5
"""Margin from which a question is about the person: of 762 public questions for documents that say "I" or "my" none has
it, of two hundred about the life of the person 65 %."""
TOLD_OF_KNOWN = -0.15
"""The same for one that is searched all the same, on the same thing as a memory: "Biscuit passed away on Sunday"."""


def understood_in(state: State, deps: Deps) -> Understanding:
    """Intent of the message; a request to reword an answer needs an earlier answer."""
    if said := _of_memory(state, deps):
        return Understanding(said, said)
    understood = deps.intents.of(state.question)
    is_of_documents = _is_personal(state.question, understood, deps)
    is_early = understood.perhaps is Intent.REWORK and all(turn.role == "user" for turn in state.history)
    return A_QUESTION if is_of_documents or is_early else understood


def _of_memory(state: State, deps: Deps) -> Intent | None:
    """What the message says or asks of the person; None where it is a question for documents, or something else."""
    if is_unkept(state, deps) and not state.question.rstrip().endswith(("?", "？")):
        return Intent.STATEMENT
    if replies_to_last(state, deps) or correction(state, deps) or _is_known(state, deps):
        return Intent.STATEMENT
    if request := requested(state, deps):
        return Intent.FORGET if request.forgets else Intent.STATEMENT
    if corrects_documents(state, deps):
        return Intent.QUESTION
    if _only_tells(state.question, deps):
        return Intent.STATEMENT
    return Intent.ABOUT_USER if _asks_of_person(state, deps) else None


def _asks_of_person(state: State, deps: Deps) -> bool:
    """Whether a statement answers, or it asks what only the person can have told and no document surely answers."""
    understood = deps.intents.of(state.question)
    if understood.is_question and told_in(state, deps):
        return False
    if _is_personal(state.question, understood, deps):
        return bool(told_about_user(state, deps).memories) or not is_in_documents(state, deps)
    return understood.is_question and bool(told_about_user(state, deps).memories)


def _is_personal(question: str, understood: Understanding, deps: Deps) -> bool:
    """Whether it asks one thing that only the person can have told."""
    message = PersonalMessage(question)
    if message.asks_for_all_of_self or understood.intent is Intent.ABOUT_USER:
        return not message.asks_for_all_of_self
    may_ask = understood.is_question or (understood.is_small_talk and understood.intent is not Intent.CHAT)
    return message.asks_about_self and may_ask and deps.meanings.asks_of_self(question) >= OF_SELF


def requested(state: State, deps: Deps) -> MemoryRequest | None:
    """What the message asks to remember or to forget, if it asks nothing else; "forget it" is of what was told last."""
    request = deps.meanings.request(state.question)
    if request is None or request.is_refused:
        return None
    if not request.forgets:
        return None if PersonalMessage(request.what).asks else request
    *_, last = PersonalMessage(state.question).sentences
    asks_besides = PersonalMessage(last).asks and deps.meanings.request(last) is None
    is_of_something = bool(request.what or told_last(state, deps))
    return request if is_of_something and not asks_besides else None


def is_unkept(state: State, deps: Deps) -> bool:
    """Whether the message, or a sentence of it, says that it is not to be remembered."""
    said = (state.question, *PersonalMessage(state.question).sentences)
    return any(request.is_refused for each in said if (request := deps.meanings.request(each)))


def told_in(state: State, deps: Deps) -> Statement | None:
    """What the message asks to remember, or its sentences tell of the person who writes, as one statement."""
    if is_unkept(state, deps):
        return None
    request = requested(state, deps)
    if request and (request.forgets or request.is_certain):
        return None if request.forgets else Statement.of_request(request)
    sentences = PersonalMessage(state.question).told.items()
    told = [one for sentence, plain in sentences if (one := _told_by(sentence, plain, state, deps))]
    if not told:
        return Statement.of_request(request) if request else None
    return replace(told[0], text=joined([one.text for one in told]), certain=all(one.certain for one in told))


def _told_by(sentence: str, plain: Statement, state: State, deps: Deps) -> Statement | None:
    """What the sentence asks to remember, or tells; plain: what it would be remembered as if it tells."""
    request = deps.meanings.request(sentence)
    if request and not request.forgets and not request.is_refused:
        return Statement.of_request(request)
    return plain if _tells(sentence, plain, state, deps) else None


def _tells(sentence: str, plain: Statement, state: State, deps: Deps) -> bool:
    if corrects_documents(state, deps):
        return False
    if PersonalMessage(state.question).asks:
        return deps.meanings.of_self(sentence) >= CLEARLY
    if _tells_by_itself(sentence, plain, deps):
        return True
    if not state.use_memory or deps.meanings.of_self(sentence) < TOLD_OF_KNOWN:
        return False
    return bool(told_on_same_thing(deps.memories, sentence, Scope(state.base_id, state.thread_id)))


def _tells_by_itself(sentence: str, plain: Statement, deps: Deps) -> bool:
    """Whether a sentence that asks nothing tells of the person: by one margin, by two that may be lower, or by a name.

    What it opens with as a correction says nothing of that.
    """
    said = sentence.removeprefix(PersonalMessage(sentence).opening)
    margin = deps.meanings.of_self(said)
    is_told = margin >= TOLD or (margin >= 0 and deps.meanings.asks_of_self(said) >= OF_SELF)
    return is_told or bool(deps.meanings.introduced(plain.facts[0]))


def _only_tells(message: str, deps: Deps) -> bool:
    """Whether each sentence tells of the person or is a courtesy beside one that does."""
    personal = PersonalMessage(message)
    told = {sentence for sentence, plain in personal.told.items() if _tells_by_itself(sentence, plain, deps)}
    others = (sentence for sentence in personal.sentences if sentence not in told)
    return bool(told) and all(deps.intents.of(sentence).intent in COURTESIES for sentence in others)


def correction(state: State, deps: Deps) -> Statement | None:
    """The statement that says otherwise than one that is known or waits: "My locker is 319" after "Locker: 274"."""
    plain = told_in(state, deps) if state.use_memory else None
    if plain is None:
        return None
    is_correction = PersonalMessage(state.question).corrects or corrected(state, deps) is not None
    is_sure = is_correction or bool(labelled(plain.text)[0])
    if not (is_sure or says_change(plain.text)):
        return None
    if says_otherwise(plain.text, state, deps):
        return replace(plain, certain=is_sure)
    return plain if _says_otherwise(plain.text, deps.memories.find(MemoryStatus.PROPOSED), state, deps) else None


def _is_known(state: State, deps: Deps) -> bool:
    """Whether the message states what is remembered in the same words, which is no question for it."""
    said = PersonalMessage(state.question).told.values() if state.use_memory else ()
    if len(said) != 1:
        return False
    known = asked_once(deps, deps.memories.active, Scope(state.base_id, state.thread_id))
    return any(one.text == statement.text for one in known for statement in said)


def says_otherwise(told: str, state: State, deps: Deps) -> bool:
    """Whether a known fact says something else of the same thing."""
    known = asked_once(deps, deps.memories.active, Scope(state.base_id, state.thread_id))
    return _says_otherwise(told, known, state, deps)


def _says_otherwise(told: str, known: Sequence[Memory], state: State, deps: Deps) -> bool:
    facts = (one for one in known if one.kind is MemoryKind.FACT)
    return bool(contradicted(told, state.thread_id, facts, deps.meanings))
