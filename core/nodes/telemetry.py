"""Notes of every question how it was handled: route, language, queries, corrections, which prompts were in use."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from core.domain.runs import AnswerOutcome
from core.nodes.deciding import noted
from core.state import Deps, State, Update

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

_PROMPTS = Path(__file__).parents[1] / "prompts"


def telemetry(state: State, runtime: Runtime[Deps]) -> Update:
    note = noted(
        state.outcome,
        "run.reason.telemetry",
        engine=runtime.context.llm.engine,
        route=state.route,
        language=state.language,
        searches=state.retrievals or "",
        corrections=state.corrections or "",
        task=state.task_type,
        intent=state.intent,
        tools=", ".join(state.tools),
        out_of_scope="yes" if state.outcome == AnswerOutcome.OUT_OF_SCOPE else "",
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
