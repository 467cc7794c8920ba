"""What came back from the form at a step, as a continuation. Values come from the browser and are validated here."""

from collections.abc import Mapping

from core.runs.fork.editable_steps import Changeable, changeables
from core.runs.history.view import RunView
from core.runs.model import MAX_QUESTION, Continuation
from pages.components.run.change_html import MAX_DRAFT

FOUND = "found"


def continuation(run_id: str, view: RunView, given: Mapping[str, object]) -> Continuation | None:
    """Only what differs from what the step left behind; None for a step that the run cannot go on from."""
    place = (given.get("node"), str(given.get("attempt")))
    there = (it for it in changeables(view) if it and (it.node, str(it.attempt)) == place)
    step = next(there, None)
    if step is None:
        return None
    kept = _kept(step, given)
    return Continuation(
        run_id,
        step.node,
        step.attempt,
        outcome=_outcome(step, given, bool(kept)),
        question=_text(given, "question", step.question),
        query=_text(given, "query", step.query),
        answer=_text(given, "answer", step.answer, MAX_DRAFT),
        kept=kept,
        arguments=_arguments(step, given),
    )


def _text(given: Mapping[str, object], name: str, before: str, limit: int = MAX_QUESTION) -> str:
    value = str(given.get(name, "")).strip()[:limit]
    return value if before and value != before.strip() else ""


def _kept(step: Changeable, given: Mapping[str, object]) -> tuple[str, ...] | None:
    ticked = given.get("kept")
    if not step.passages or not isinstance(ticked, list):
        return None
    chosen = tuple(passage.chunk_id for passage in step.passages if passage.chunk_id in ticked)
    return chosen if chosen != step.kept else None


def _outcome(step: Changeable, given: Mapping[str, object], has_evidence: bool) -> str:
    """Passages chosen where there were none are to be answered from, unless the reader says otherwise."""
    chosen = str(given.get("outcome", ""))
    if not chosen and has_evidence and not step.kept:
        chosen = FOUND
    return chosen if chosen in step.outcomes else ""


def _arguments(step: Changeable, given: Mapping[str, object]) -> tuple[str, ...]:
    before = tuple(arguments for _, arguments in step.arguments)
    names = [f"arguments-{at}" for at in range(len(before))]
    now = tuple(_text(given, name, was) or was for name, was in zip(names, before, strict=True))
    return now if now != before else ()
