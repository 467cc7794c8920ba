"""Answers what needs no document: greetings, questions about the app, the user or memories; errands out of scope."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate

from core.agents.intents import ALL_LISTED, ERRANDS, Intent
from core.agents.nodes.answer.rework_answer import UNSURE, reworked
from core.agents.nodes.memory.memories import (
    all_told,
    as_told,
    own_memories,
    recalled,
    statement_about_self,
    with_status,
)
from core.agents.nodes.memory.replying import (
    brought_back,
    disputed,
    dropped,
    has_nothing_to_undo,
    in_place_of,
    restored_by,
    spared,
    was_to_forget,
)
from core.agents.nodes.memory.telling import (
    likely_memories,
    replaceable,
    statements_waiting,
    told_about_user,
    told_last,
)
from core.agents.nodes.runtime import Writer, noted, shown_as_written, stream_text, unseen
from core.agents.nodes.understood import is_unkept, requested, understood_in
from core.agents.state import Deps, NodeRuntime, Route, State, Update
from core.memory.keeping import compared, in_a_row, quoted, repeats
from core.memory.model import Memory, MemoryKind, MemoryStatus, Scope
from core.memory.relevance import found_by_words
from core.models.tasks import TextTask
from core.platform.errors import ServiceError
from core.platform.language.patterns import pattern
from core.platform.language.periods import period_in
from core.platform.language.terms import content_terms, content_words
from core.platform.texts import text
from core.rulebook.evidence import says
from core.rulebook.messages import PersonalMessage
from core.runs.events import ForgetOffered
from core.runs.model import AnswerOutcome, Turn

HISTORY_TURNS = 4
LISTED = 20
"""Memories that an answer about everything lists."""
CLOSEST = 3
"""Statements that are listed where none surely answers."""
FAR = 0.2
"""Probability from which one of them is listed that is likeliest to answer."""
NAMED = 100
"""Most memories listed before they are forgotten."""
LISTED_CHARACTERS = 3_000
"""Most characters of them: of an answer the next message is read beside the first 4,000."""
COMPARED = 40
"""Most memories whose words are compared in meaning, which takes some milliseconds each."""
ALIKE = 0.85
"""Least cosine of a word with one that is to be forgotten: "work" for "job", "flying" for "flight", not "Sister" for
"brother". Lower than for an answer, because the person sees what is listed before it is deleted."""
_SEARCHED = {*UNSURE, AnswerOutcome.ANSWERED} - {AnswerOutcome.UNREADY}
_OWN = pattern("^我们?(?:告诉过?你|[跟对]你[说讲]过?)?的")
_NAMES = "name called 名字"
"""Words for what the value of a label is, as in "the name of my cat"."""


@dataclass(frozen=True, slots=True)
class DirectRequest:
    question: str
    language: str
    route: str = Route.DIRECT
    """direct, or out_of_scope to say politely what the app can do instead."""
    noted: str = ""
    """The memory kept from the message; empty if there is none."""
    forgotten: str = ""
    """The memory that would be kept if memory were switched on."""
    memories: tuple[Memory, ...] = ()
    history: tuple[Turn, ...] = ()


def _by_intent(request: DirectRequest, intent: Intent = Intent.CHAT) -> Iterator[str]:
    if request.route == Route.OUT_OF_SCOPE:
        yield text("answer.direct.out_of_scope", request.language)
        return
    if intent is Intent.ABOUT_USER:
        yield from _about_user(request)
    elif intent is Intent.STATEMENT and request.noted:
        yield text("answer.direct.statement", request.language, statement=quoted([request.noted], request.language))
    elif intent is Intent.STATEMENT and request.forgotten:
        unkept = quoted([request.forgotten], request.language)
        yield text("answer.direct.statement_off", request.language, statement=unkept)
    elif intent is Intent.STATEMENT:
        yield text("answer.direct.chat", request.language)
    else:
        yield text(f"answer.direct.{intent}", request.language)


DIRECT = TextTask("direct_answer", _by_intent, max_tokens=1_500)


def direct_answer(state: State, runtime: NodeRuntime) -> Update:
    """Streams a draft to the reader; a later check publishes it."""
    return _direct(state, runtime.context, shown_as_written)


def direct_answer_unseen(state: State, runtime: NodeRuntime) -> Update:
    """Writes a draft that is not shown before it is checked."""
    return _direct(state, runtime.context, unseen)


def _direct(state: State, deps: Deps, write: Writer) -> Update:
    if state.draft.choices:
        return asked_back(state)
    if understood_in(state, deps).intent is Intent.REWORK:
        return reworked(state, deps, write)
    told = statement_about_self(state, deps)
    statement = told.text if told else ""
    request = DirectRequest(
        question=state.question,
        language=state.language,
        route=state.search.route or Route.DIRECT,
        noted=statement if state.use_memory else "",
        forgotten="" if state.use_memory else statement,
        memories=_memories(state, deps),
        history=state.history[-HISTORY_TURNS:],
    )
    said = _about_memories(state, deps, request.memories)
    pieces = iter([said]) if said else stream_text(deps, _task(state, deps), request)
    written = write(deps, DIRECT.name, pieces)
    answer = written.text
    if written.fault:
        answer = f"{answer}\n\n{text('answer.interrupted', state.language)}".strip()
    outcome = AnswerOutcome.OUT_OF_SCOPE if state.search.route == Route.OUT_OF_SCOPE else AnswerOutcome.DIRECT
    settled = AnswerOutcome.UNCONFIRMED if written.fault else outcome
    return {
        "draft": replace(state.draft, answer=answer, outcome=settled, interrupted=bool(written.fault)),
        "note": noted(outcome, written.fault or _reason(state, deps)),
    }


def _reason(state: State, deps: Deps) -> str:
    return ALL_LISTED if _lists_all(state, deps) else "run.reason.direct"


def _memories(state: State, deps: Deps) -> tuple[Memory, ...]:
    """Recalled memories; of the statements of the person those that are asked for, or come closest."""
    if not state.use_memory or understood_in(state, deps).intent is not Intent.ABOUT_USER:
        return recalled(state, deps)
    near = (one.memory for one in likely_memories(state, deps) if one.probability >= FAR)
    return tuple(near)[:CLOSEST]


def asked_back(state: State) -> Update:
    """Asks which of the readings is meant."""
    listed = "\n".join(f"- {choice}" for choice in state.draft.choices)
    answer = f"{text('answer.asked_back', state.language)}\n\n{listed}"
    draft = replace(state.draft, answer=answer, citations=(), outcome=AnswerOutcome.ASKED_BACK)
    return {"draft": draft, "note": noted(AnswerOutcome.ASKED_BACK, "run.reason.asked_back")}


def _task(state: State, deps: Deps) -> TextTask[DirectRequest]:
    """The task with the rule for this kind of message."""
    perhaps = understood_in(state, deps).perhaps
    social = Intent.CHAT if perhaps in {Intent.QUESTION, Intent.REWORK} | ERRANDS else perhaps
    return replace(DIRECT, rule=partial(_by_intent, intent=social))


def _about_user(request: DirectRequest) -> Iterator[str]:
    """Statements of the user about themselves, verbatim."""
    own = [memory.text for memory in request.memories if memory.kind is not MemoryKind.CONCLUSION]
    yield text(f"answer.direct.about_user_{'closest' if own else 'unknown'}", request.language)
    for words in own:
        yield f"\n- {quoted([words], request.language)}"


def _about_memories(state: State, deps: Deps, near: Sequence[Memory]) -> str:
    """The answer of the rules to a message about memories, also beside a model, because it has to be true; or empty.

    near: the statements that come closest to what is asked.
    """
    intent = understood_in(state, deps).intent
    if intent is Intent.FORGET:
        return _to_forget(state, deps)
    if intent is Intent.DOUBT:
        return _doubted(state, deps)
    if _lists_all(state, deps):
        return _all_told(state, deps)
    if intent is Intent.ABOUT_USER and (told := _told_of_user(state, deps, near)):
        return told
    return _of_statement(state, deps) if state.use_memory else ""


def _told_of_user(state: State, deps: Deps, near: Sequence[Memory]) -> str:
    if not state.use_memory:
        return text("answer.direct.about_user_off", state.language)
    if (told := told_about_user(state, deps)).memories:
        return all_told(told.memories, state.language, "" if told.is_answer else "answer.direct.told_near")
    if near:
        return ""
    if not PersonalMessage(state.question).asks:  # "List what I told you about my family"
        return _all_told(state, deps)
    return "\n\n".join((text("answer.direct.about_user_unknown", state.language), *_waiting(state, deps)))


def _doubted(state: State, deps: Deps) -> str:
    """How sure the last answer is that told something."""
    *_, last = ("", *(turn.outcome for turn in state.history if turn.outcome))
    if last == AnswerOutcome.DIRECT and (told := told_last(state, deps)):
        return text("answer.direct.doubt_told", state.language, statement=_texts(told, state.language))
    *_, searched = ("", *(turn.outcome for turn in state.history if turn.outcome in _SEARCHED))
    kind = "_answered" if searched == AnswerOutcome.ANSWERED else "_unsure" if searched else ""
    return text(f"answer.direct.doubt{kind}", state.language)


def _lists_all(state: State, deps: Deps) -> bool:
    is_asked = state.use_memory and PersonalMessage(state.question).asks_for_all_of_self
    return is_asked and understood_in(state, deps).intent is Intent.ABOUT_USER


def _all_told(state: State, deps: Deps) -> str:
    """The person's own words, or those of the days that the question names; facts before preferences, newest first."""
    told = _of_days(deps.memories.active(Scope(state.base_id, state.thread_id)), state, deps)
    facts = [one for one in told if one.kind is MemoryKind.FACT]
    likes = [one for one in told if one.kind is MemoryKind.PREFERENCE]
    more = len(facts) + len(likes) - LISTED
    groups = {"about_user": facts[:LISTED], "about_user_likes": likes[: max(0, LISTED - len(facts))]}
    parts = [
        "\n".join([text(f"answer.direct.{key}", state.language), "", *(_dated(one, state.language) for one in ones)])
        for key, ones in groups.items()
        if ones
    ]
    if more > 0:
        parts.append(text("answer.direct.about_user_more", state.language, count=more))
    parts += _waiting(state, deps)
    return "\n\n".join(parts) or text("answer.direct.about_user_unknown", state.language)


def _of_days(memories: Sequence[Memory], state: State, deps: Deps) -> list[Memory]:
    """Those of the days that the question names, if it names any."""
    named = period_in(state.question, deps.now())
    return [memory for memory in memories if named is None or named.holds(memory.created_at)]


def _waiting(state: State, deps: Deps) -> list[str]:
    """How many statements wait for approval, if any do."""
    count = len(_of_days(statements_waiting(state, deps), state, deps))
    return [text("answer.direct.about_user_waiting", state.language, count=count)] if count else []


def _dated(memory: Memory, language: str) -> str:
    day = f"{memory.created_at:%Y-%m-%d}"
    return text("answer.direct.about_user_dated", language, statement=quoted([memory.text], language), day=day)


def _of_statement(state: State, deps: Deps) -> str:
    """The answer to a statement that is known, needs approval or supersedes another; it is stored after the answer."""
    if settled := _settled(state, deps):
        return settled
    told = statement_about_self(state, deps)
    if told is None or understood_in(state, deps).intent is not Intent.STATEMENT:
        return ""
    instead = in_place_of(state, deps)
    own = own_memories(state, deps, told)
    met = [(memory, compared(deps.memories, memory, deps.meanings, instead)) for memory in own]
    fresh = [memory for memory, its in met if its.twin is None]
    if not fresh:
        return "\n\n".join(_told_again(its.twin, state, deps) for _, its in met if its.twin)
    key = f"answer.direct.{'statement' if told.certain else 'offered'}"
    said = text(key, state.language, statement=_texts(fresh, state.language))
    return f"{said}\n\n{_replaced(fresh, instead, told.certain, state, deps)}".strip()


def _replaced(fresh: Sequence[Memory], instead: Sequence[Memory], is_certain: bool, state: State, deps: Deps) -> str:
    """What they replace, would replace, or may take the place of if the person says so."""
    in_force = (replace(memory, status=MemoryStatus.ACTIVE) for memory in fresh)
    outdated = (one for memory in in_force for one in compared(deps.memories, memory, deps.meanings, instead).outdated)
    others = [
        one for one in dict.fromkeys(outdated) if not any(one.id == made.id or repeats(made, one) for made in fresh)
    ]
    active = [one for one in others if one.status is MemoryStatus.ACTIVE]
    if not others:
        return "" if instead else _or_replace(fresh, state.language, deps)
    if is_certain or not active:  # what waits is replaced by what waits
        return text("answer.direct.superseded", state.language, older=_texts(active or others, state.language))
    return text("memory.would_replace", state.language, text=_texts(active, state.language))


def _or_replace(fresh: Sequence[Memory], language: str, deps: Deps) -> str:
    """What to say if one of them takes the place of an older statement on the same thing."""
    older = next((older for one in fresh if (older := replaceable(one, deps))), None)
    return text("answer.direct.or_replace", language, older=older.text) if older else ""


def _settled(state: State, deps: Deps) -> str:
    """The answer to a message that refuses, forgets or takes back; empty for another one."""
    if is_unkept(state, deps):
        return text("answer.direct.unkept", state.language)
    gone, kept = dropped(state, deps), spared(state, deps)
    if disputed(state, deps):
        return text("answer.direct.disputed", state.language)
    if back := brought_back(state, deps):
        return _back_again(back, state)
    if not gone and kept:
        return text("answer.direct.known", state.language, statement=_texts(kept, state.language))
    if not gone:
        return text("answer.direct.nothing_to_undo", state.language) if has_nothing_to_undo(state, deps) else ""
    key = "answer.direct.unused" if was_to_forget(state) else "answer.direct.declined"
    said = text(key, state.language, statement=_texts(gone, state.language))
    restored = [one for memory in gone for one in restored_by(memory, state, deps)]
    older = in_a_row((with_status(memory, state.language) for memory in restored), state.language)
    return f"{said}\n\n{text('answer.direct.restored', state.language, older=older)}" if older else said


def _back_again(back: Sequence[Memory], state: State) -> str:
    keys = {MemoryStatus.ACTIVE: "answer.direct.statement", MemoryStatus.PROPOSED: "answer.direct.offered"}
    groups = ((key, [one for one in back if one.status is status]) for status, key in keys.items())
    told = ((key, _texts(ones, state.language)) for key, ones in groups if ones)
    return "\n\n".join(text(key, state.language, statement=statement) for key, statement in told)


def _texts(memories: Sequence[Memory], language: str) -> str:
    return quoted([memory.text for memory in memories], language)


def _told_again(memory: Memory, state: State, deps: Deps) -> str:
    if memory.status is MemoryStatus.PROPOSED:
        return f"{as_told(memory, state.language)}\n\n{_or_replace([memory], state.language, deps)}".strip()
    return text("answer.direct.known", state.language, statement=_texts([memory], state.language))


def _to_forget(state: State, deps: Deps) -> str:
    """Lists the memories in question, also those that wait for approval, and offers them; a message deletes nothing."""
    request = requested(state, deps)
    subject = request.what if request and request.forgets else ""
    found = _about(subject, state, deps) if subject else told_last(state, deps)[:NAMED]
    if not found:
        return text("answer.direct.forget_none", state.language)
    shown = _fitting(found)
    deps.emit(ForgetOffered(tuple(memory.id for memory in shown)))
    listed = "".join(f"\n- {_texts([memory], state.language)}" for memory in shown)
    said = text(f"answer.direct.forget{'' if state.use_memory else '_off'}", state.language)
    more = len(found) - len(shown)
    rest = f"\n\n{text('answer.direct.about_user_more', state.language, count=more)}" if more else ""
    return f"{said}\n{listed}{rest}"


def _fitting(found: Sequence[Memory]) -> list[Memory]:
    """Those that a reply to the answer can still be read beside."""
    lengths = accumulate(len(memory.text) + 3 for memory in found)
    return [memory for memory, length in zip(found, lengths, strict=True) if length <= LISTED_CHARACTERS]


def _about(subject: str, state: State, deps: Deps) -> list[Memory]:
    """Memories with all words of the subject, else those that say most of it in other words.

    What says less than half of it is left out: something always does.
    """
    named = _plainly(subject)
    wanted = PersonalMessage(named).terms
    wanted = wanted - set(content_terms(_NAMES)) or wanted
    known = _known(named, state, deps)
    if worded := [one for one in known if wanted <= set(content_terms(one.text))]:
        return worded[:NAMED]
    words = [word for word in content_words(named) if wanted.issuperset(content_terms(word))]
    said = [sum(says(one.text, word, deps.encoder, ALIKE) for word in words) for one in known[:COMPARED]]
    least = max(len(words) / 2, *said, 1)
    return [one for one, count in zip(known, said, strict=False) if count >= least][:NAMED]


def _plainly(subject: str) -> str:
    """The subject as it is kept ("Cat: Lulu") or without its owner, whose characters would pair with those after."""
    return _OWN.sub("", PersonalMessage(subject).whole_statement.text or subject)


def _known(query: str, state: State, deps: Deps) -> list[Memory]:
    """Memories that hold here or wait for approval, best first."""
    waiting = [one for one in deps.memories.find(MemoryStatus.PROPOSED) if one.base_id in {"", state.base_id}]
    here = {one.id for one in (*deps.memories.active(Scope(state.base_id, state.thread_id)), *waiting)}
    try:
        found = deps.memories.search(query)
    except ServiceError:
        found = found_by_words(query, deps.memories.find(), deps.now())
    return [one.memory for one in found if one.memory.id in here]
