"""What the reader is told about a failed model, and the run as stored at its end."""

from dataclasses import dataclass, replace

from core.platform.texts import known, text
from core.runs.history.passage_text import with_passages
from core.runs.history.view import RunView
from core.runs.model import Run, RunStatus


@dataclass(frozen=True, slots=True)
class ModelFailure:
    """Why a model failed, and what replaced it."""

    reason: str
    """Catalogue key."""
    instead: str
    """built_in: the built-in engine wrote the answer; some: it did some of the steps; kept: an incomplete answer."""
    params: tuple[tuple[str, str], ...] = ()
    """Placeholders of the reason."""

    def sentence(self, language: str) -> str:
        why = text(self.reason, language, **dict(self.params)) if known(self.reason) else self.reason
        return text(f"run.instead.{self.instead}", language, reason=why)


WRITING = frozenset(
    {"generate", "write_answer", "direct_answer", "rework_answer", "graph_answer", "graph_walk", "tool_turn"}
)
"""Tasks whose output is the answer."""


def failure_of(view: RunView) -> ModelFailure | None:
    """The failure to state above the answer; None if no model failed."""
    if not view.failures:
        return None
    if view.interrupted:
        last = view.failures[-1]
        return ModelFailure(last.reason, "kept", last.params)
    unwritten = [event for event in view.failures if event.task in WRITING]
    asked = any(call.response for step in view.steps for call in step.calls)
    shown = (unwritten or view.failures)[0]
    return ModelFailure(shown.reason, "built_in" if unwritten or not asked else "some", shown.params)


def as_ended(run: Run, view: RunView) -> Run:
    """The run as stored at its end; the error is an English sentence."""
    failed = view.status in {RunStatus.FAILED, RunStatus.INTERRUPTED}
    sentence = text(view.message, "en", **dict(view.params)) if known(view.message) else view.message
    if view.status is RunStatus.DONE and (failure := failure_of(view)):
        failed, sentence = True, failure.sentence("en")
    return replace(
        run,
        status=view.status,
        outcome=view.outcome,
        answer=with_passages(view.answer, view.passages, view.citations),
        citations=view.citations,
        usage=view.usage,
        seconds=view.seconds or 0.0,
        error=sentence if failed else "",
    )
