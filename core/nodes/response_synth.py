"""Writes the answer as the situation asks: from documents, about the scope, from the conversation, with downloads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from core.domain.events import AnswerDelta, AnswerReady, FormsOffered
from core.domain.runs import AnswerOutcome, Turn
from core.errors import BudgetError, CancelledError, NotFoundError, ServiceError
from core.language.sentences import sentences
from core.nodes.answering import answer_from_evidence
from core.nodes.deciding import noted, write
from core.nodes.direct_answer import direct_answer
from core.nodes.not_found import not_found
from core.nodes.plan_tools import TaskType
from core.nodes.rules.citing import without_markers
from core.nodes.rules.questions import any_of
from core.state import Deps, State, Update
from core.tasks import TextTask
from core.texts import text

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

_SHORTER = any_of(r"\b(?:shorter|briefly|one sentence|few words|sum|simplify)\b", r"简短|一句|简化|总结")
_TRANSLATE = any_of(r"\btranslate\b", r"翻译")


class Situation(StrEnum):
    DOCUMENTS = "documents"
    SCOPE = "scope"
    HISTORY = "history"
    FORMS = "forms"
    FALLBACK = "fallback"


@dataclass(frozen=True, slots=True)
class ReworkRequest:
    question: str
    language: str
    history: tuple[Turn, ...]


def _by_shortening(request: ReworkRequest) -> Iterator[str]:
    """The last answer again, or its first statement; a rule does not translate."""
    last = next(turn.text for turn in reversed(request.history) if turn.role == "assistant")
    if _TRANSLATE.search(request.question):
        yield text("answer.rework.no_translation", request.language) + "\n\n"
    plain = without_markers(last).strip()
    said = sentences(plain)
    yield said[0] if said and _SHORTER.search(request.question) else plain


REWORK = TextTask("rework_answer", _by_shortening)


def response_synth(state: State, runtime: Runtime[Deps]) -> Update:
    situation = _situation(state)
    write_for = {
        Situation.SCOPE: direct_answer,
        Situation.HISTORY: _from_history,
        Situation.FORMS: _with_forms,
        Situation.DOCUMENTS: answer_from_evidence,
        Situation.FALLBACK: not_found,
    }
    update = write_for[situation](state, runtime)
    if update["outcome"] == AnswerOutcome.NOT_FOUND:
        situation = Situation.FALLBACK
    return {**update, "note": noted(situation, f"run.reason.synth_{situation}", kept=len(state.kept) or "")}


def _situation(state: State) -> Situation:
    if state.task_type in {TaskType.GREETING, TaskType.OUT_OF_SCOPE}:
        return Situation.SCOPE
    if state.task_type == TaskType.CONVERSATION_FOLLOWUP and not state.tools:
        return Situation.HISTORY
    if state.forms:
        return Situation.FORMS
    return Situation.DOCUMENTS if state.kept else Situation.FALLBACK


def _from_history(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    said: list[str] = []
    outcome = AnswerOutcome.ANSWERED
    try:
        for piece in write(deps, REWORK, ReworkRequest(state.question, state.language, state.history)):
            said.append(piece)
            deps.emit(AnswerDelta(piece))
            if deps.meter.cancelled():
                raise CancelledError("error.cancelled")
    except (ServiceError, BudgetError) as error:
        deps.meter.degraded(REWORK.name, error.key)
        said.append(f"\n\n{text('answer.interrupted', state.language)}")
        outcome = AnswerOutcome.UNCONFIRMED
    answer = "".join(said).strip()
    deps.emit(AnswerReady(answer, ()))
    return {"answer": answer, "citations": (), "outcome": outcome.value}


def _with_forms(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    offered = []
    for document_id in state.forms:
        try:
            offered.append(deps.library.document(document_id))
        except NotFoundError:
            continue
    if not offered:
        return not_found(state, runtime)
    lines = [text("answer.forms.offered", state.language), "", *(f"- {form.name}" for form in offered)]
    answer = "\n".join(lines)
    deps.emit(FormsOffered(tuple((form.id, form.name) for form in offered)))
    deps.emit(AnswerReady(answer, ()))
    return {"answer": answer, "citations": (), "outcome": AnswerOutcome.ANSWERED.value}
