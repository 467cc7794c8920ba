"""What a message is for, and the statement of the user that answers it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.agents.intents import A_QUESTION, COURTESIES, Intent, Understanding
from core.agents.nodes.evidence import passages_of, view_of
from core.agents.nodes.runtime import asked_once
from core.agents.state import Deps, State
from core.documents.model import Chunk
from core.memory.contradictions import contradicts, is_update, labelled, may_replace
from core.memory.keeping import nearest_on_same_thing
from core.memory.model import Found, Memory, MemoryKind, MemoryRequest, MemoryStatus, Scope
from core.memory.relevance import found_by_words, probability_of_answer
from core.platform.errors import ServiceError
from core.platform.language.detect import is_unspaced, same_script
from core.platform.language.terms import content_terms
from core.rulebook.evidence import EvidenceAssessment, is_about_what_is_named
from core.rulebook.messages import (
    KnownNames,
    PersonalMessage,
    Question,
    Statement,
    joined,
    resolve,
    with_told,
)
from core.rulebook.model import QuestionKind
from core.search.model import Passage

MOST = 20
"""Statements that are assessed, the closest ones."""
READ = 6
"""Statements that are read together with the question, the closest ones."""
UNREAD = -2.0
"""Log odds where nothing can read them: then the statement has to have most words of the question."""
NEAR = 0.3
"""Probability from which a statement is told beside the closest passages: of 60 questions for documents that say "I" or
"my" five reach it, of 72 that a statement answers 49, 46 with the right one."""
TOLD = 0.25
"""Margin from which a sentence tells of the person: when their own weight is left out, 86 % of the examples that do
reach it, and 1.5 % of the others, among them sentences of documents and troubles that a manual solves."""
TOLD_OF_KNOWN = -0.15
"""The same for one that is searched all the same, on the same thing as a memory: "Biscuit passed away on Sunday"."""
_ENDS = tuple(".!?。！？")


def understood_in(state: State, deps: Deps) -> Understanding:
    """Intent of the message; a request to reword an answer needs an earlier answer."""
    if offered_before(state, deps) or correction(state, deps) or _is_known(state, deps):
        return Understanding(Intent.STATEMENT, Intent.STATEMENT)
    if request := requested(state, deps):
        intent = Intent.FORGET if request.forgets else Intent.STATEMENT
        return Understanding(intent, intent)
    if _only_tells(state.question, deps):
        return Understanding(Intent.STATEMENT, Intent.STATEMENT)
    understood = deps.intents.of(state.question)
    if understood.is_question and memories_about_user(state, deps):
        return Understanding(Intent.ABOUT_USER, Intent.ABOUT_USER)
    answered = any(turn.role == "assistant" for turn in state.history)
    return understood if answered or understood.perhaps is not Intent.REWORK else A_QUESTION


def requested(state: State, deps: Deps) -> MemoryRequest | None:
    """What the message asks to remember or to forget, if it asks nothing else; "forget it" is of what was told last."""
    request = deps.meanings.request(state.question)
    if request is None:
        return None
    if not request.forgets:
        return None if PersonalMessage(request.what).asks else request
    *_, last = PersonalMessage(state.question).sentences
    asks_besides = PersonalMessage(last).asks and deps.meanings.request(last) is None
    is_of_something = bool(request.what or told_last(state, deps))
    return request if is_of_something and not asks_besides else None


def told_in(state: State, deps: Deps) -> Statement | None:
    """What the message asks to remember, or its sentences tell of the person who writes, as one statement."""
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
    if request and not request.forgets:
        return Statement.of_request(request)
    return plain if _tells(sentence, state, deps) else None


def _tells(sentence: str, state: State, deps: Deps) -> bool:
    margin = deps.meanings.of_self(sentence)
    if not state.use_memory or margin >= TOLD or margin < TOLD_OF_KNOWN:
        return margin >= TOLD
    return nearest_on_same_thing(deps.memories, sentence, Scope(state.base_id, state.thread_id)) is not None


def _only_tells(message: str, deps: Deps) -> bool:
    """Whether each sentence tells of the person or is a courtesy beside one that does."""
    personal = PersonalMessage(message)
    told = {sentence for sentence in personal.told if deps.meanings.of_self(sentence) >= TOLD}
    others = (sentence for sentence in personal.sentences if sentence not in told)
    return bool(told) and all(deps.intents.of(sentence).intent in COURTESIES for sentence in others)


def offered_before(state: State, deps: Deps) -> list[Memory]:
    """The memories that the last answer offered to keep, where the message says yes to that."""
    if not state.use_memory or not state.history or not PersonalMessage(state.question).assents:
        return []
    first_line = state.history[-1].text.partition("\n")[0]
    offered = (one for one in statements_waiting(state, deps) if one.text in first_line)
    return sorted(offered, key=lambda one: first_line.index(one.text))


def statements_waiting(state: State, deps: Deps) -> list[Memory]:
    """The statements of the user that wait for approval."""
    waiting = asked_once(deps, deps.memories.find, MemoryStatus.PROPOSED)
    return [one for one in waiting if one.kind is not MemoryKind.CONCLUSION and one.base_id in {"", state.base_id}]


def correction(state: State, deps: Deps) -> Statement | None:
    """The statement that says otherwise than one that is known or waits: "My locker is 319" after "Locker: 274".

    Where neither a label nor the message itself says that it is the same thing, it may be another one, or a trouble.
    """
    plain = told_in(state, deps) if state.use_memory else None
    if plain is None:
        return None
    of_same_thing = bool(PersonalMessage(state.question).corrects or labelled(plain.text)[0])
    is_sure = of_same_thing and not deps.meanings.held_in(plain.text)
    if not (is_sure or may_replace(plain.text, deps.meanings)):
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
    facts = [one for one in known if one.kind is MemoryKind.FACT]
    return any(contradicts(replace(one, text=told, thread_id=state.thread_id), one, deps.meanings) for one in facts)


def memories_about_user(state: State, deps: Deps) -> tuple[Memory, ...]:
    """The statements of the user that answer the question, one for each of its parts; empty if a part has none."""
    question = in_full(state, deps)
    unclear = bool(state.history) and Question(question).leans_on_history
    if not state.use_memory or unclear or PersonalMessage(question).asks_for_all_of_self:
        return ()
    known = _in_script(statements_near(state, deps), state)
    found = [_memory_about(part, known, deps) for part in Question(question).parts or (question,)]
    told = tuple(memory for memory in dict.fromkeys(found) if memory)
    is_of_both = bool(told) and not PersonalMessage(question).asks_about_self
    return () if None in found or (is_of_both and _is_in_documents(question, state, deps)) else told


def _is_in_documents(question: str, state: State, deps: Deps) -> bool:
    """Whether documents surely answer a question that does not name the person: "Who is the treasurer?"."""
    try:
        hits = asked_once(deps, deps.retriever.chunks, state.base_id, question, MOST)
    except ServiceError:
        return False
    view = view_of(question, passages_of(hits, deps), deps)
    return view.is_answered and not view.is_probable


def memory_waiting(state: State, deps: Deps) -> Memory | None:
    """The statement that would answer a part of the question, were it not waiting for approval."""
    question = in_full(state, deps)
    waiting = statements_waiting(state, deps) if state.use_memory else []
    if not waiting or PersonalMessage(question).asks_for_all_of_self:
        return None
    latest = {one.id for one in waiting if not any(_is_newer(other, one, deps) for other in waiting)}
    found = [one for one in _in_script(_found(question, waiting, deps), state) if one.memory.id in latest]
    parts = Question(question).parts or (question,)
    return next(filter(None, (_memory_about(part, found, deps) for part in parts)), None)


def _found(question: str, waiting: Sequence[Memory], deps: Deps) -> list[Found]:
    try:
        return asked_once(deps, deps.memories.search, question)
    except ServiceError:
        return found_by_words(question, waiting, deps.now())


def _is_newer(other: Memory, one: Memory, deps: Deps) -> bool:
    return other.created_at > one.created_at and contradicts(other, one, deps.meanings)


def memory_near(state: State, deps: Deps, least: float = NEAR) -> Memory | None:
    """The statement that likeliest answers the question, from a probability."""
    question = in_full(state, deps)
    read = _in_script(statements_near(state, deps), state)[:READ] if state.use_memory else []
    odds = [UNREAD] * len(read)
    if deps.cross_encoder and read:
        odds = deps.cross_encoder.scores(question, [("", one.memory.text) for one in read])
    likely = ((probability_of_answer(one, each), one.memory) for one, each in zip(read, odds, strict=True))
    probability, memory = max(likely, key=lambda pair: pair[0], default=(0.0, None))
    return memory if probability >= least else None


def in_full(state: State, deps: Deps) -> str:
    """The question with what the last answer told of in place of its pronoun, or as it is."""
    if not state.history or not Question(state.question).leans_on_history:
        return state.question
    return resolve(state.question, state.history, names_told(KnownNames(encoder=deps.encoder), state, deps))


def names_told(names: KnownNames, state: State, deps: Deps) -> KnownNames:
    """The names with that of which the last answer told from memory, if its statement names one."""
    if not state.use_memory or not state.history:
        return names
    said = [one.text for one in told_last(state, deps)]
    asked = next((turn.text for turn in reversed(state.history) if turn.role == "user"), "")
    return with_told(names, state.question, asked, said[0], labelled(said[0])) if len(said) == 1 else names


def told_last(state: State, deps: Deps) -> list[Memory]:
    """The statements of the user, in force or waiting, that the last answer has."""
    answer = state.history[-1].text if state.history else ""
    known = asked_once(deps, deps.memories.active, Scope(state.base_id, state.thread_id))
    told = (*(one for one in known if one.kind is not MemoryKind.CONCLUSION), *statements_waiting(state, deps))
    return [one for one in told if one.text in answer]


def statements_near(state: State, deps: Deps) -> list[Found]:
    """The statements of the user, not what documents told, with how much each bears on the question; best first."""
    scope = Scope(state.base_id, state.thread_id)
    try:
        found = asked_once(deps, deps.memories.search, state.question, scope)
    except ServiceError:
        found = found_by_words(state.question, deps.memories.active(scope), deps.now())
    return [one for one in found if one.memory.kind is not MemoryKind.CONCLUSION]


def _in_script(found: Sequence[Found], state: State) -> list[Found]:
    """Those in the script of the question: across languages too much is taken for an answer."""
    return [one for one in found if same_script(state.question, one.memory.text)]


def _memory_about(question: str, told: Sequence[Found], deps: Deps) -> Memory | None:
    """The statement whose label is what is asked for, or whose sentence answers like one of a document."""
    message = PersonalMessage(question)
    if not message.terms or Question(question).kind is QuestionKind.HOW:
        return None
    if thing := set(content_terms(message.asks_name_of)):
        return _named_thing(thing, told) or _answering(message, told, deps)
    is_personal = deps.intents.of(question).intent is Intent.ABOUT_USER
    labels = ((one.memory, set(content_terms(labelled(one.memory.text)[0]))) for one in told)
    asked = message.terms if message.asks_about_self else set()
    named = (memory for memory, label in labels if label and (label == asked or (is_personal and label <= asked)))
    return next(named, None) or _answering(message, told, deps)


def _named_thing(thing: set[str], told: Sequence[Found]) -> Memory | None:
    """The statement with that label whose value may be a name: "Cat: Lulu", not "Cat: black"."""
    for found in told:
        label, value = labelled(found.memory.text)
        may_be_name = not value.endswith("的") if is_unspaced(value) else value[0].isupper()
        if set(content_terms(label)) == thing and may_be_name:
            return found.memory
    return None


def _answering(message: PersonalMessage, told: Sequence[Found], deps: Deps) -> Memory | None:
    """It has to be certain for a question that does not name the user, which may be one for the documents."""
    for memory, view in _likeliest(message.text, told, deps):
        is_certain = not view.is_probable and not view.is_found_by_rule
        if not view.is_answered or not (is_certain or message.asks_about_self):
            return None
        if is_about_what_is_named(message.text, memory.text, deps.encoder):
            return _in_force(memory, told, deps)
    return None


def _in_force(memory: Memory, told: Sequence[Found], deps: Deps) -> Memory:
    """The newest statement that names another home, employer or trade than the memory, or the memory."""
    later = (one.memory for one in told if one.memory.created_at > memory.created_at)
    others = (one for one in later if is_update(one.text, memory.text, deps.meanings))
    return max(others, key=lambda one: one.created_at, default=memory)


def _likeliest(question: str, told: Sequence[Found], deps: Deps) -> Iterator[tuple[Memory, EvidenceAssessment]]:
    """Yield the statement that answers best, then the one that does so without it, and so on."""
    left = list(told)
    while left and (view := _assessed(question, left, deps)).quotes:
        best = left.pop(view.quotes[0].passage)
        yield best.memory, view


def _assessed(question: str, told: Sequence[Found], deps: Deps) -> EvidenceAssessment:
    return view_of(question, tuple(_as_passage(found, deps) for found in told[:MOST]), deps)


def _as_passage(found: Found, deps: Deps) -> Passage:
    """The statement as a sentence that also says plainly of which home, employer or trade it tells."""
    held = deps.meanings.held_in(found.memory.text)
    words = f"{held.lead if held else ''}{found.memory.text}"
    end = "" if words.endswith(_ENDS) else "。" if is_unspaced(words) else "."
    return Passage(Chunk(found.memory.id, "", 0, words + end, (), ()), "", found.score)
