"""Notes of every question how it was handled: route, language, queries, corrections, which prompts were in use."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from core.domain.runs import AnswerOutcome
from core.nodes.runtime import noted
from core.state import Deps, State, Update

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

_PROMPTS = Path(__file__).parents[1] / "prompts"


def telemetry(state: State, runtime: Runtime[Deps]) -> Update:
    note = noted(
        state.draft.outcome or "",
        "run.reason.telemetry",
        engine=runtime.context.llm.engine,
        route=state.search.route,
        language=state.language,
        searches=state.search.retrievals or "",
        corrections=state.search.corrections or "",
        task=state.task.type,
        intent=state.task.intent,
        tools=", ".join(state.task.tools),
        out_of_scope="yes" if state.draft.outcome == AnswerOutcome.OUT_OF_SCOPE else "",
        trace=state.run_id,
        prompts=prompt_version(),
    )
    return {"note": note}


@cache
def prompt_version() -> str:
    """Eight digits that change with any prompt."""
    digest = sha256()
    for path in sorted(_PROMPTS.glob("*.md")):
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:8]
