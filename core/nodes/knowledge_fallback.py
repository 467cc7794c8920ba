"""The fixed reply where the knowledge base does not answer: nothing is ever written from nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.domain.events import AnswerReady
from core.domain.runs import AnswerOutcome
from core.nodes.deciding import noted
from core.state import Deps, State, Update
from core.texts import text

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


def knowledge_fallback(state: State, runtime: Runtime[Deps]) -> Update:
    answer = text("answer.not_found.fixed", state.language)
    runtime.context.emit(AnswerReady(answer, ()))
    note = noted("not_found", "run.reason.nothing_relevant", searches=state.retrievals)
    return {"answer": answer, "citations": (), "outcome": AnswerOutcome.NOT_FOUND.value, "note": note}
