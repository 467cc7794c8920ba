"""Writes the answer: from documents, about the scope, from the conversation, or with downloads."""

from contextlib import suppress
from dataclasses import replace
from enum import StrEnum

from core.agents.nodes.answer.not_found import NOTHING, answer_from_evidence, not_found
from core.agents.nodes.answer.rework_answer import rework_answer
from core.agents.nodes.memory.consolidate_memory import remembering_answer
from core.agents.nodes.plan.plan_tools import TaskType
from core.agents.nodes.runtime import noted
from core.agents.nodes.search.retrieve import THRESHOLDS
from core.agents.state import NodeRuntime, State, Update
from core.platform.errors import NotFoundError
from core.platform.texts import text
from core.runs.events import FormsOffered
from core.runs.model import AnswerOutcome


class ResponseSituation(StrEnum):
    DOCUMENTS = "documents"
    SCOPE = "scope"
    HISTORY = "history"
    FORMS = "forms"
    FALLBACK = "fallback"


def response_synth(state: State, runtime: NodeRuntime) -> Update:
    situation = _situation(state)
    write_for = {
        ResponseSituation.SCOPE: remembering_answer,
        ResponseSituation.HISTORY: rework_answer,
        ResponseSituation.FORMS: _with_forms,
        ResponseSituation.DOCUMENTS: answer_from_evidence,
        ResponseSituation.FALLBACK: not_found,
    }
    update = write_for[situation](state, runtime)
    draft = update["draft"]
    if draft.outcome in NOTHING:
        situation = ResponseSituation.FALLBACK
    return {
        **update,
        "shown": draft.published(),
        "note": noted(situation, f"run.reason.synth_{situation}", **_reasoning(state)),
    }


def _reasoning(state: State) -> dict[str, object]:
    """Reasoning summary: the detected task, what was searched and what was found."""
    search = state.search
    least = min((hit.score for hit in search.hits), default=0.0)
    return {
        "task": state.task.type,
        "intent": state.task.intent,
        "searches": search.retrievals if state.task.tools else "",
        "query": search.query if search.retrievals else "",
        "threshold": next((f"{it:.2f}" for it in THRESHOLDS if it <= least), ""),
        "kept": len(search.kept) or "",
    }


def _situation(state: State) -> ResponseSituation:
    if state.task.type in {TaskType.GREETING, TaskType.OUT_OF_SCOPE}:
        return ResponseSituation.SCOPE
    if state.task.type == TaskType.CONVERSATION_FOLLOWUP and not state.task.tools:
        return ResponseSituation.HISTORY
    if state.task.forms:
        return ResponseSituation.FORMS
    return ResponseSituation.DOCUMENTS if state.search.kept else ResponseSituation.FALLBACK


def _with_forms(state: State, runtime: NodeRuntime) -> Update:
    deps = runtime.context
    offered = []
    for document_id in state.task.forms:
        with suppress(NotFoundError):
            offered.append(deps.documents.get(document_id))
    if not offered:
        return not_found(state, runtime)
    lines = [text("answer.forms.offered", state.language), "", *(f"- {form.name}" for form in offered)]
    answer = "\n".join(lines)
    deps.emit(FormsOffered(tuple((form.id, form.name) for form in offered)))
    return {"draft": replace(state.draft, answer=answer, citations=(), outcome=AnswerOutcome.ANSWERED)}
