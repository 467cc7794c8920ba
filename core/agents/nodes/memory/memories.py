"""Memories in a run: recalled ones, those that its answer used, and statements of the user about themselves."""

from collections.abc import Sequence
from dataclasses import replace

from core.agents.intents import Intent
from core.agents.nodes.memory.replying import accepted, corrected, refuses
from core.agents.nodes.memory.telling import statements_near
from core.agents.nodes.understood import correction, is_unkept, requested, says_otherwise, told_in, understood_in
from core.agents.state import Deps, State
from core.memory.contradictions import says_change
from core.memory.keeping import SAID_IN_CHAT, keep, quoted, stored
from core.memory.model import Memory, MemoryKind, MemoryStatus, labelled, memory_id
from core.platform.language.answer_marks import without_markers
from core.platform.language.terms import content_terms
from core.platform.texts import text
from core.rulebook.messages import PersonalMessage, Statement, corrected_by, joined
from core.runs.events import MemorySaved

SHORT = 40
"""Longest value, in characters, that leads an answer."""
LONGEST = 240
"""Characters of a correction that are kept."""
SAID = 0.5
"""Least share of a memory's words in an answer that counts as using it."""


def recalled(state: State, deps: Deps) -> tuple[Memory, ...]:
    """Memories recalled by the run, without those deleted since."""
    return tuple(stored(deps.memories, state.memory_ids))


def count_used(state: State, deps: Deps) -> tuple[Memory, ...]:
    """Counts memories that were recalled or told and whose words are in the answer, but not only from its sources.

    An answer that names what is to be forgotten, or notes what was told, uses none.
    """
    if understood_in(state, deps).intent in {Intent.FORGET, Intent.STATEMENT}:
        return ()
    elsewhere = "\n".join([state.question, *(citation.text for citation in state.draft.citations)])
    said = set(content_terms(without_markers(state.draft.answer)))
    own = said - set(content_terms(elsewhere))
    of_form = {one.memory_id for one in deps.preferred}  # counted if the answer follows them
    told = {one.memory for one in statements_near(state, deps) if one.memory.text in state.draft.answer}
    known = [one for one in dict.fromkeys((*recalled(state, deps), *told)) if one.id not in of_form]
    used = tuple(one for one in known if one in told or _says(one, said, own))
    if used:
        deps.memories.touch([memory.id for memory in used], state.run_id)
    return used


def _says(memory: Memory, said: set[str], own: set[str]) -> bool:
    words = set(content_terms(memory.text))
    return bool(own & words) and len(said & words) >= SAID * len(words)


def statement_about_self(state: State, deps: Deps) -> Statement | None:
    """The statement of the user about themselves: also the one they say yes to, or correct."""
    if refuses(state, deps) or is_unkept(state, deps):
        return None
    if given := accepted(state, deps):
        return Statement(joined([one.text for one in given]), given[0].kind, given[0].importance)
    return correction(state, deps) or _with_correction(state, deps) or _told(state, deps)


def _with_correction(state: State, deps: Deps) -> Statement | None:
    """The statement that the message corrects: with its value, or with all its words where that is not certain."""
    wrong = corrected(state, deps)
    if wrong is None:
        return None
    said = " ".join(state.question.split())[:LONGEST]
    words = corrected_by(wrong.text, said) or text("memory.then_said", state.language, older=wrong.text, said=said)
    return Statement(words, wrong.kind, wrong.importance, wrong.status is MemoryStatus.ACTIVE, (words,))


def _told(state: State, deps: Deps) -> Statement | None:
    told = told_in(state, deps)
    if told and requested(state, deps):
        return _with_certainty(told, told.certain, state, deps)
    message = PersonalMessage(state.question)
    if (found := message.statement) and (not told or not _says_more(told, found)):
        return _with_certainty(found, bool(labelled(found.text)[0]), state, deps)
    if understood_in(state, deps).intent is Intent.STATEMENT:
        return told or message.whole_statement
    return None


def _says_more(told: Statement, found: Statement) -> bool:
    return found.kind is MemoryKind.FACT and len(told.facts) > len(found.facts)


def _with_certainty(found: Statement, is_sure: bool, state: State, deps: Deps) -> Statement:
    """The statement, to be approved where it may only seem to say otherwise than a known fact."""
    unsure = found.kind is MemoryKind.FACT and (says_change(found.text) or not is_sure)
    return replace(found, certain=False) if unsure and says_otherwise(found.text, state, deps) else found


def as_told(memory: Memory, language: str, key: str = "") -> str:
    """The statement with its day, led by its value if it has a label. key: of another frame."""
    label, value = labelled(memory.text)
    usual = "answer.direct.told_value" if label and len(value) <= SHORT else "answer.direct.told"
    said = {"value": value, "statement": with_status(memory, language), "day": f"{memory.created_at:%Y-%m-%d}"}
    return text(key or usual, language, **said)


def with_status(memory: Memory, language: str) -> str:
    """The statement, quoted, saying so if it waits for approval."""
    waits = text("answer.direct.told_waits", language) if memory.status is MemoryStatus.PROPOSED else ""
    return f"{quoted([memory.text], language)}{waits}"


def all_told(memories: Sequence[Memory], language: str, key: str = "") -> str:
    """The statements, one a line; what was said later than the first one says so. key: frame of the first one."""
    first, *others = memories
    is_alone = all(one.created_at <= first.created_at for one in others)
    lines = [as_told(first, language, key or ("" if is_alone else "answer.direct.told"))]
    for memory in others:
        is_later = memory.created_at > first.created_at
        lines.append(as_told(memory, language, "answer.direct.told_later" if is_later else ""))
    return "\n\n".join(lines)


def own_memories(state: State, deps: Deps, told: Statement) -> list[Memory]:
    """Memories of the user's own words: active if they are certainly meant to be kept, else proposed."""
    if given := accepted(state, deps):
        return [replace(one, status=MemoryStatus.ACTIVE, run_id=state.run_id, reason="") for one in given]
    now = deps.now()
    return [
        Memory(
            id=memory_id("", words),
            text=words,
            kind=told.kind,
            importance=told.importance,
            confidence=1.0,
            status=MemoryStatus.ACTIVE if told.certain else MemoryStatus.PROPOSED,
            created_at=now,
            last_used_at=now,
            thread_id=state.thread_id,
            run_id=state.run_id,
            reason="" if told.certain else SAID_IN_CHAT,
        )
        for fact in told.facts
        for words in deps.meanings.introduced(fact) or (fact,)
    ]


def offered(state: State, deps: Deps) -> str:
    """Keeps what the message certainly asks for, or offers to keep what it may tell, and says so; empty if known."""
    statement = told_in(state, deps) if state.use_memory else None
    if statement is None:
        return ""
    fresh = []
    for memory in own_memories(state, deps, statement):
        twin = keep(deps.memories, memory, deps.meanings)[1].twin
        if twin is None:
            deps.emit(MemorySaved(memory.id, memory.text, memory.status.value))
        if twin is None or twin.run_id == state.run_id:
            fresh.append(memory.text)
    key = f"answer.direct.{'statement' if statement.certain else 'offered'}"
    return text(key, state.language, statement=quoted(fresh, state.language)) if fresh else ""
