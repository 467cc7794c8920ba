"""Rewrites the last answer in another form, such as shorter or in other words, without a new search."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.builtin.intent.questions import any_of
from core.builtin.quoting.citing import without_markers
from core.domain.runs import AnswerOutcome, Turn
from core.language.sentences import sentences
from core.nodes.runtime import Writer, noted, shown_as_written, stream_text
from core.state import Deps, State, Update
from core.tasks import TextTask
from core.texts import LANGUAGES, text

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

_SHORTER = any_of(r"\b(?:shorter|briefly|one sentence|few words|sum|simplify)\b", r"简短|一句|简化|总结")
_TRANSLATE = ("translate", "翻译")


@dataclass(frozen=True, slots=True)
class ReworkRequest:
    question: str
    language: str
    history: tuple[Turn, ...]


def _by_shortening(request: ReworkRequest) -> Iterator[str]:
    """Rule: repeats the last answer or its first statement; it cannot translate."""
    last = next(turn.text for turn in reversed(request.history) if turn.role == "assistant")
    if any(word in request.question.lower() for word in _TRANSLATE):
        yield text("answer.rework.no_translation", request.language) + "\n\n"
    plain = without_markers(last).strip()
    said = sentences(plain)
    if outcome_of(last) is AnswerOutcome.CLOSEST:
        said = ["\n- ".join(plain.split("\n- ")[:2])]
    yield said[0] if said and _SHORTER.search(request.question) else plain


def outcome_of(answer: str) -> AnswerOutcome:
    """What an earlier answer was, by how it begins."""
    for outcome, key in _BEGINNINGS.items():
        said = (text(key, language, base="", documents="", asked="", wordings="") for language in LANGUAGES)
        if answer.startswith(tuple(sentences(one)[0] for one in said)):
            return outcome
    return AnswerOutcome.ANSWERED


_BEGINNINGS = {
    AnswerOutcome.CLOSEST: "answer.closest",
    AnswerOutcome.NOT_FOUND: "answer.not_found.searched",
}
"""What has to stay said when the answer is put in other words."""
REWORK = TextTask("rework_answer", _by_shortening)


def rework_answer(state: State, runtime: Runtime[Deps]) -> Update:
    return reworked(state, runtime.context, shown_as_written)


def reworked(state: State, deps: Deps, write: Writer) -> Update:
    request = ReworkRequest(state.question, state.language, state.history)
    written = write(deps, REWORK.name, stream_text(deps, REWORK, request))
    last = next((turn.text for turn in reversed(state.history) if turn.role == "assistant"), "")
    answer, outcome = written.text, outcome_of(last)
    if written.fault:
        answer = f"{answer}\n\n{text('answer.interrupted', state.language)}".strip()
        outcome = AnswerOutcome.UNCONFIRMED
    draft = replace(state.draft, answer=answer, citations=(), outcome=outcome, interrupted=bool(written.fault))
    return {"draft": draft, "note": noted("history", "run.reason.rework")}
