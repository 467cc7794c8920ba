"""The fixed reply where an answer could not be made compliant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.domain.events import AnswerReady
from core.domain.runs import AnswerOutcome
from core.nodes.deciding import noted
from core.state import Deps, State, Update
from core.texts import text

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


def fallback_safe(state: State, runtime: Runtime[Deps]) -> Update:
    answer = text("answer.safe_reply", state.language)
    runtime.context.emit(AnswerReady(answer, ()))
    note = noted("safe_reply", "run.reason.safe_reply", fixes=state.fixes, violations=len(state.violations))
    return {"answer": answer, "citations": (), "outcome": AnswerOutcome.SAFE_REPLY.value, "note": note}
