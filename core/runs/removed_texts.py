"""A run without the texts that its steps read and wrote, as it is kept when it is old."""

from collections.abc import Sequence
from dataclasses import replace

from core.runs.events import (
    AnswerDelta,
    AnswerReady,
    Event,
    ModelCalled,
    ModelProgress,
    NodeFinished,
    PassagesGraded,
    RulesAnswered,
    TextsRemoved,
    ToolCalled,
)

REMOVED = "…"


def without_texts(events: Sequence[Event]) -> list[Event]:
    """Answer, sources, steps, times, counts and failures stay; passages, prompts, replies and results of tools go.

    So does the state after each step: no run can go on from a step of such a run.
    """
    is_whole = any(isinstance(event, AnswerReady) for event in events)
    of_waiting = (AnswerDelta, RulesAnswered) if is_whole else ()
    gone: tuple[type, ...] = (PassagesGraded, ModelProgress, TextsRemoved, *of_waiting)
    return [TextsRemoved(), *(_emptied(event) for event in events if not isinstance(event, gone))]


def _emptied(event: Event) -> Event:
    match event:
        case NodeFinished():
            return replace(event, update="")
        case ModelCalled():
            return replace(event, prompt=_mark(event.prompt), response=_mark(event.response))
        case ToolCalled():
            return replace(event, arguments=_mark(event.arguments), result=_mark(event.result))
    return event


def _mark(text: str) -> str:
    """Whether there was one still decides what is said of a failure."""
    return REMOVED if text else ""
