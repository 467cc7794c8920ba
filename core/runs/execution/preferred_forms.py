"""Preferences about the form of answers in memories: those that apply to a question, and those its answer followed."""

import re

from core.agents.nodes.plan.detect_language import usual_language
from core.agents.state import Deps, State
from core.memory.model import MemoryKind, PreferredForm, Scope
from core.memory.ports import MemoryStore
from core.memory.units import Units, measured_in
from core.models.ports import BUILT_IN
from core.platform.language.answer_marks import QUOTED, VALUE, without_markers
from core.platform.language.detect import detect_language, script_evidence
from core.platform.language.sentences import sentences
from core.rulebook.classifiers import AnswerForms
from core.rulebook.messages import PersonalMessage
from core.runs.model import AnswerOutcome, Length, RunRequest

SHORT = 2
"""Most sentences of a short answer, or of each item of its list."""
_ITEM = re.compile(r"\s*(?:(?:[-*]|\d+[.)])\s|\d+、)")
LETTERS = 4
"""Fewest letters of a text whose language a reader would notice."""
_ANSWERED = {AnswerOutcome.ANSWERED, AnswerOutcome.UNCONFIRMED}


def preferred_forms(request: RunRequest, memories: MemoryStore, forms: AnswerForms) -> tuple[PreferredForm, ...]:
    """The latest preference on length, language and units each, of what the message states and of the active ones.

    None of a kind that the options choose.
    """
    if not request.use_memory:
        return ()
    told = memories.active(Scope(request.base_id, request.thread_id))
    said = PersonalMessage(request.question).statement
    wishes = [("", said.text)] if said and said.kind is MemoryKind.PREFERENCE else []
    wishes += [(memory.id, memory.text) for memory in told if memory.kind is MemoryKind.PREFERENCE]
    known = [PreferredForm(id, form) for id, words in wishes if (form := forms.of(words))]
    lengths = [] if request.options.length else [one for one in known if one.form.length]
    languages = [] if request.options.language else [one for one in known if one.form.language]
    units = [one for one in known if one.form.units]
    return (*lengths[:1], *languages[:1], *units[:1])


def followed(state: State, deps: Deps, answer: str, outcome: str) -> tuple[PreferredForm, ...]:
    """Preferences that the answer visibly follows. state: at the start of the run."""
    return tuple(one for one in deps.preferred if _shows(one, state, deps, answer, outcome))


def _shows(one: PreferredForm, state: State, deps: Deps, answer: str, outcome: str) -> bool:
    if one.form.language:
        return usual_language(state, deps) != one.form.language and _is_in(one.form.language, answer)
    if outcome not in {*_ANSWERED, AnswerOutcome.CLOSEST}:
        return False
    if deps.llm.engine == BUILT_IN or deps.shaped or outcome not in _ANSWERED:
        shaped = {form for form, written in deps.shaped if _lines(written) <= _lines(answer)}
        return not shaped.isdisjoint({one.form.length, one.form.units})
    if one.form.units:  # in addition to those of the source
        return all(measured_in(answer, units) for units in Units)
    return _is_short(without_markers(answer)) is (one.form.length is Length.SHORTER)


def _lines(answer: str) -> set[str]:
    return {line.strip() for line in without_markers(answer).splitlines()} - {""}


def _is_short(answer: str) -> bool:
    """Whether the prose and each list item have few sentences."""
    lines = answer.splitlines()
    prose = "\n".join(line for line in lines if not _ITEM.match(line))
    items = (_ITEM.sub("", line, count=1) for line in lines if _ITEM.match(line))
    return all(len(sentences(text)) <= SHORT for text in (prose, *items))


def _is_in(language: str, answer: str) -> bool:
    """Whether the words outside quotes and values are in the language."""
    words = VALUE.sub(" ", QUOTED.sub(" ", without_markers(answer)))
    if sum(map(str.isalpha, words)) < LETTERS:
        return False
    found = detect_language(words)
    return found == language or (found[:2] == language[:2] == "zh" and script_evidence(words) == 0)
