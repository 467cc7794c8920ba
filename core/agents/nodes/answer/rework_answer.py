"""Rewrites the last answer in another form, such as shorter or in other words, without a new search."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.agents.nodes.answer.not_found import NOTHING
from core.agents.nodes.runtime import Writer, noted, shown_as_written, stream_text
from core.agents.state import Deps, NodeRuntime, State, Update
from core.models.tasks import TextTask
from core.platform.language.answer_marks import without_markers
from core.platform.language.patterns import any_of
from core.platform.language.sentences import sentences
from core.platform.texts import text
from core.runs.model import AnswerOutcome, Turn

_SHORTER = any_of(r"\b(?:shorter|briefly|one sentence|few words|sum|simplify)\b", r"简短|一句|简化|总结")
_TRANSLATE = ("translate", "翻译")


UNSURE = {*NOTHING, AnswerOutcome.UNCONFIRMED}
"""Outcomes that a reworded answer keeps."""


@dataclass(frozen=True, slots=True)
class ReworkRequest:
    question: str
    language: str
    history: tuple[Turn, ...]


def _by_shortening(request: ReworkRequest) -> Iterator[str]:
    """Rule: repeats the last answer or its first statement; it cannot translate."""
    last = _last(request.history)
    if any(word in request.question.lower() for word in _TRANSLATE):
        yield text("answer.rework.no_translation", request.language) + "\n\n"
    plain = without_markers(last.text).strip()
    said = sentences(plain)
    if last.outcome == AnswerOutcome.CLOSEST:
        said = ["\n- ".join(plain.split("\n- ")[:2])]
    yield said[0] if said and _SHORTER.search(request.question) else plain


REWORK = TextTask("rework_answer", _by_shortening, max_tokens=3_000)


def _last(history: Sequence[Turn]) -> Turn:
    return next((turn for turn in reversed(history) if turn.role == "assistant"), Turn("assistant", ""))


def rework_answer(state: State, runtime: NodeRuntime) -> Update:
    return reworked(state, runtime.context, shown_as_written)


def reworked(state: State, deps: Deps, write: Writer) -> Update:
    request = ReworkRequest(state.question, state.language, state.history)
    written = write(deps, REWORK.name, stream_text(deps, REWORK, request))
    said = _last(state.history).outcome
    answer, outcome = written.text, AnswerOutcome(said) if said in UNSURE else AnswerOutcome.ANSWERED
    if written.fault:
        answer = f"{answer}\n\n{text('answer.interrupted', state.language)}".strip()
        outcome = AnswerOutcome.UNCONFIRMED
    draft = replace(state.draft, answer=answer, citations=(), outcome=outcome, interrupted=bool(written.fault))
    return {"draft": draft, "note": noted("history", "run.reason.rework")}
