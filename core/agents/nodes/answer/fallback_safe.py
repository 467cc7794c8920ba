"""The fixed reply if no compliant answer could be written."""

from dataclasses import replace

from core.agents.nodes.runtime import noted
from core.agents.state import NodeRuntime, State, Update
from core.platform.texts import text
from core.runs.model import AnswerOutcome


def fallback_safe(state: State, runtime: NodeRuntime) -> Update:
    del runtime
    answer = text("answer.safe_reply", state.language)
    note = noted("safe_reply", "run.reason.safe_reply", fixes=state.draft.fixes, violations=len(state.draft.violations))
    draft = replace(state.draft, answer=answer, citations=(), outcome=AnswerOutcome.SAFE_REPLY)
    return draft.shown_with(note)
