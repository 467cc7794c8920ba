"""Statements of the user that answer a question, or come near it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from core.agents.intents import Intent
from core.agents.nodes.evidence import passages_of, view_of
from core.agents.nodes.runtime import asked_once
from core.agents.state import Deps, State
from core.documents.model import Chunk
from core.memory.keeping import may_be_replaced, nearest
from core.memory.model import Found, Memory, MemoryKind, MemoryStatus, Scope, labelled
from core.memory.relevance import found_by_words, probability_of_answer
from core.platform.errors import ServiceError
from core.platform.language.detect import is_unspaced, same_script
from core.platform.language.patterns import pattern
from core.platform.language.terms import content_terms
from core.rulebook.evidence import EvidenceAssessment, is_about_what_is_named
from core.rulebook.messages import KnownNames, PersonalMessage, Question, resolve, with_told
from core.rulebook.model import QuestionKind
from core.search.model import Passage

MOST = 20
"""Statements that are assessed, the closest ones."""
READ = 6
"""Statements that are read together with the question, the closest ones."""
UNREAD = -2.0
"""Log odds where nothing can read them: then the statement has to have most words of the question."""
ALONE = 0.5
"""Probability from which a statement is told alone to a question about the person, where the documents have no sure
answer."""
NEAR, NEAR_OF_OTHERS = 0.08, 0.4
"""The same for one that is told above the closest passages, to a question that says "I" or "my" and to any other one:
of 282 that a statement answers 258 have one, 240 the right one, and 49 of 342 for documents; with 0.08 and 0.2, by
whether the question sounds personal, it was 266, 248 and 104."""
SAME_LATER = 0.75
"""Cosine distance within which a later statement may follow one that is told: of 30 that say what has become of it 28
are; to 18 of 210 questions it lets one on something else follow, without it to 66."""
OF_PERSON = 0.25
"""Margin (asks_of_self) from which a question is about the person: of 665 questions for documents that say "I" or "my"
five have it, 33 have more than 0."""
FOR_DOCUMENTS = -0.4
"""Margin (asks_of_self) below which a question is for documents, whatever was said in the chat: three in four public
questions for documents that say "I" have less, and one in thirty of those for what was told in a chat."""
_ENDS = tuple(".!?。！？")
_OWNED = pattern(r"\b(?:my|our)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Likely:
    memory: Memory
    probability: float
    """That it answers the question."""


@dataclass(frozen=True, slots=True)
class Told:
    """Statements to tell without a search; none where the documents may answer."""

    memories: tuple[Memory, ...] = ()
    is_answer: bool = False
    """Whether they answer the question rather than come closest."""


def told_about_user(state: State, deps: Deps) -> Told:
    """The statements that answer the question, one for each of its parts, or the likeliest one; with later ones."""
    question = in_full(state, deps)
    message = PersonalMessage(question)
    unclear = bool(state.history) and Question(question).leans_on_history
    is_for_documents = message.asks_about_self and _personal(state, deps) < FOR_DOCUMENTS
    if not state.use_memory or unclear or is_for_documents or message.asks_for_all_of_self:
        return Told()
    answers = _answers(question, state, deps)
    told = answers or _likeliest_alone(question, state, deps)
    is_sure = bool(answers) and _personal(state, deps) >= OF_PERSON
    if not told or (not is_sure and is_in_documents(state, deps)):
        return Told()
    return Told(_with_later(told, state, deps), is_answer=bool(answers))


def _answers(question: str, state: State, deps: Deps) -> tuple[Memory, ...]:
    """One for each part of the question; none if a part has none."""
    known = _in_script(statements_near(state, deps), state)
    found = [_memory_about(part, known, deps) for part in Question(question).parts or (question,)]
    answers = tuple(memory for memory in dict.fromkeys(found) if memory)
    return () if None in found else answers


def _likeliest_alone(question: str, state: State, deps: Deps) -> tuple[Memory, ...]:
    """Of a question about the person; any other one is searched, and the statement stands above what is found."""
    is_of_person = _personal(state, deps) >= OF_PERSON
    if not is_of_person or PersonalMessage(question).asks_name_of or len(Question(question).parts) > 1:
        return ()
    names = [name.casefold() for name in Question(question).names]
    for one in likely_memories(state, deps)[:1]:
        has_names = all(name in one.memory.text.casefold() for name in names)
        if one.probability >= ALONE and has_names and is_about_what_is_named(question, one.memory.text, deps.encoder):
            return (one.memory,)
    return ()


def memories_near(state: State, deps: Deps) -> tuple[Memory, ...]:
    """The statement that likeliest answers the question, with later ones."""
    likely = likely_memories(state, deps)[:1]
    is_own = PersonalMessage(in_full(state, deps)).asks_about_self and _personal(state, deps) >= FOR_DOCUMENTS
    told = (one.memory for one in likely if one.probability >= (NEAR if is_own else NEAR_OF_OTHERS))
    return _with_later(tuple(told), state, deps)


def _personal(state: State, deps: Deps) -> float:
    return deps.meanings.asks_of_self(in_full(state, deps))


def _with_later(told: tuple[Memory, ...], state: State, deps: Deps) -> tuple[Memory, ...]:
    """With what was said since and is likeliest to be what has become of it."""
    if not told:
        return ()
    first = min(memory.created_at for memory in told)
    near = sorted((pair for memory in told for pair in nearest(deps.memories, memory.text)), key=itemgetter(1))
    distances = {one.id: distance for one, distance in reversed(near)}
    others = [one for one in likely_memories(state, deps) if one.memory not in told and one.memory.created_at > first]
    near_enough = {id for id, distance in distances.items() if distance <= SAME_LATER}
    likely = (one.memory for one in others if one.probability >= NEAR and one.memory.id in near_enough)
    later = [one for one in likely if not any(_is_of_another(memory.text, one.text, deps) for memory in told)]
    return (*told, *later[:1])


def _is_of_another(told: str, later: str, deps: Deps) -> bool:
    """Whether the later statement is on something else that is the person's: "My brother lives in Oslo"."""
    is_owned = bool(labelled(later)[0]) or is_unspaced(later) or _OWNED.search(later) is not None
    return is_owned and not is_about_what_is_named(told, later, deps.encoder)


def replaceable(memory: Memory, deps: Deps) -> Memory | None:
    """The older statement whose place the memory takes if the person says so; none that says more, which would go."""

    def is_all_about(newer: str, older: str) -> bool:
        says_more = PersonalMessage(older).clauses > PersonalMessage(newer).clauses
        return not says_more and is_about_what_is_named(newer, older, deps.encoder)

    return may_be_replaced(deps.memories, memory, deps.meanings, is_all_about)


def likely_memories(state: State, deps: Deps) -> list[Likely]:
    """The closest statements, the likeliest first."""
    question = in_full(state, deps)
    read = _in_script(statements_near(state, deps), state)[:READ] if state.use_memory else []
    odds = [UNREAD] * len(read)
    if deps.cross_encoder and read:
        odds = asked_once(deps, deps.cross_encoder.scores, question, tuple(("", one.memory.text) for one in read))
    personal = _personal(state, deps)
    likely = [
        Likely(one.memory, probability_of_answer(one, each, personal)) for one, each in zip(read, odds, strict=True)
    ]
    return sorted(likely, key=lambda one: one.probability, reverse=True)


def is_in_documents(state: State, deps: Deps) -> bool:
    """Whether documents surely answer the question: "Who is the treasurer?"."""
    question = in_full(state, deps)
    try:
        hits = asked_once(deps, deps.retriever.chunks, state.base_id, question, MOST)
    except ServiceError:
        return False
    view = view_of(question, passages_of(hits, deps), deps)
    return view.is_answered and not view.is_probable


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
    """The statements of the user that the last answer has."""
    return said_in(state.history[-1].text, statements(state, deps)) if state.history else []


def said_in(answer: str, memories: Sequence[Memory]) -> list[Memory]:
    """The memories whose words the answer has, in its order; each stretch of it is of the longest one alone."""
    places: dict[str, int] = {}
    for words in sorted({one.text for one in memories}, key=len, reverse=True):
        if found := re.search(rf"(?<![^\W_]){re.escape(words)}(?![^\W_])", answer):
            places[words] = found.start()
            answer = answer.replace(words, "\0" * len(words))
    return sorted((one for one in memories if one.text in places), key=lambda one: places[one.text])


def statements_near(state: State, deps: Deps) -> list[Found]:
    """The statements of the user, with how much each bears on the question; best first."""
    question = in_full(state, deps)
    told = {one.id: one for one in statements(state, deps)}
    try:
        found = asked_once(deps, deps.memories.search, question)
    except ServiceError:
        found = found_by_words(question, list(told.values()), deps.now())
    return [one for one in found if one.memory.id in told]


def statements(state: State, deps: Deps) -> list[Memory]:
    """The statements of the user that are in force here or wait for approval, not what documents told."""
    in_force = asked_once(deps, deps.memories.active, Scope(state.base_id, state.thread_id))
    return [*(one for one in in_force if one.kind is not MemoryKind.CONCLUSION), *statements_waiting(state, deps)]


def statements_waiting(state: State, deps: Deps) -> list[Memory]:
    """The statements of the user that wait for approval."""
    waiting = asked_once(deps, deps.memories.find, MemoryStatus.PROPOSED)
    return [one for one in waiting if one.kind is not MemoryKind.CONCLUSION and one.base_id in {"", state.base_id}]


def _in_script(found: Sequence[Found], state: State) -> list[Found]:
    """Those in the script of the question: across languages too much is taken for an answer."""
    return [one for one in found if same_script(state.question, one.memory.text)]


def _memory_about(question: str, told: Sequence[Found], deps: Deps) -> Memory | None:
    """The statement whose label is what is asked for, or whose sentence answers like one of a document."""
    message = PersonalMessage(question)
    if thing := set(content_terms(message.asks_name_of)):
        return _named_thing(thing, told) or _answering(message, told, deps)
    if not message.terms or Question(question).kind is QuestionKind.HOW:
        return None
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
    """The statement that certainly answers."""
    for memory, view in _likeliest(message.text, told, deps):
        if not view.is_answered:
            return None
        if is_about_what_is_named(message.text, memory.text, deps.encoder):
            return None if view.is_probable or view.is_found_by_rule else memory
    return None


def _likeliest(question: str, told: Sequence[Found], deps: Deps) -> Iterator[tuple[Memory, EvidenceAssessment]]:
    """Yield the statement that answers best, then the one that does so without it, and so on."""
    left = list(told)
    while left and (view := _assessed(question, left, deps)).quotes:
        best = left.pop(view.quotes[0].passage)
        yield best.memory, view


def _assessed(question: str, told: Sequence[Found], deps: Deps) -> EvidenceAssessment:
    return view_of(question, tuple(map(_as_passage, told[:MOST])), deps)


def _as_passage(found: Found) -> Passage:
    """The statement as a sentence."""
    words = found.memory.text
    end = "" if words.endswith(_ENDS) else "。" if is_unspaced(words) else "."
    return Passage(Chunk(found.memory.id, "", 0, words + end, (), ()), "", found.score)
