"""The fixed reply if the knowledge base does not answer; nothing is generated without evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.nodes.answer.not_found import nothing_found
from core.nodes.runtime import noted
from core.state import Deps, State, Update
from core.texts import text

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


def knowledge_fallback(state: State, runtime: Runtime[Deps]) -> Update:
    answer = text("answer.not_found.fixed", state.language)
    note = noted("not_found", "run.reason.nothing_relevant", searches=state.search.retrievals)
    draft = nothing_found(state, runtime.context, answer)
    return {"draft": draft, "shown": draft.published(), "note": note}
