"""Records how a question was handled: route, language, queries, corrections, prompt versions."""

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path

from core.agents.nodes.runtime import noted
from core.agents.state import NodeRuntime, State, Update
from core.runs.model import AnswerOutcome

_PROMPTS = Path(__file__).parents[2] / "models" / "prompts"


def telemetry(state: State, runtime: NodeRuntime) -> Update:
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
        prompts=_prompts_of(runtime.context.meter.asked()),
    )
    return {"note": note}


def _prompts_of(tasks: Sequence[str]) -> str:
    """Versions of the prompts sent to a model; of all prompts if none was sent."""
    versions = (f"{task} {version}" for task in tasks if (version := prompt_version(task)))
    return ", ".join(versions) or prompt_version()


@cache
def prompt_version(task: str = "*") -> str:
    """Eight hex digits that change with the task's prompt (default: with any); "" for a task without a prompt."""
    digest, paths = sha256(), sorted(_PROMPTS.glob(f"{task}.md"))
    for path in paths:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:8] if paths else ""
