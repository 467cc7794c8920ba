"""A run as people see it, folded from its events: live, after a reload and as replay it is the same."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import reduce

from core.domain.events import (
    AnswerDelta,
    AnswerReady,
    AnswerReset,
    BudgetSet,
    ConsentAsked,
    ConsentGiven,
    Degraded,
    Event,
    FormsOffered,
    GraphTouched,
    MemoriesRecalled,
    MemorySaved,
    ModelCalled,
    NodeFinished,
    NodeStarted,
    PassagesGraded,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    Scored,
    ToolCalled,
    WebQueried,
)
from core.domain.passages import Citation
from core.domain.runs import Run, RunStatus, Usage
from core.texts import known, text

INTERRUPTED = "run.interrupted"
"""The message of a run whose process died: catalogue key."""


@dataclass(frozen=True, slots=True)
class StepView:
    """One visit of a node."""

    node: str
    attempt: int
    seconds: float | None = None
    """None while it is under way."""
    outcome: str = ""
    reason: str = ""
    """Catalogue key whose placeholders the details fill, or a sentence."""
    details: tuple[tuple[str, str], ...] = ()
    usage: Usage = field(default_factory=Usage)
    kept: tuple[Scored, ...] = ()
    rejected: tuple[Scored, ...] = ()
    memories: tuple[tuple[str, str], ...] = ()
    saved: tuple[MemorySaved, ...] = ()
    entity_ids: tuple[str, ...] = ()
    calls: tuple[ModelCalled, ...] = ()
    tools: tuple[ToolCalled, ...] = ()
    degraded: tuple[Degraded, ...] = ()
    queries: tuple[str, ...] = ()
    """That left for the web, as they were sent."""


@dataclass(frozen=True, slots=True)
class RunView:
    question: str = ""
    workflow: str = ""
    engine: str = ""
    owner: str = ""
    status: RunStatus = RunStatus.RUNNING
    steps: tuple[StepView, ...] = ()
    answer: str = ""
    """As far as it is written."""
    citations: tuple[Citation, ...] = ()
    unsupported: tuple[str, ...] = ()
    forms: tuple[tuple[str, str], ...] = ()
    """(document id, file name) of the forms that are offered for download."""
    asked: str = ""
    """The query that waits for a person's word before it leaves for the web."""
    withdrawn: tuple[str, ...] = ()
    """Why answers that had been streamed were taken back, in order."""
    outcome: str = ""
    seconds: float | None = None
    usage: Usage = field(default_factory=Usage)
    budget: BudgetSet | None = None
    """None for runs of before budgets were noted."""
    message: str = ""
    """Of a failed run: catalogue key or sentence, with params as its placeholders."""
    params: tuple[tuple[str, str], ...] = ()

    @property
    def memories(self) -> tuple[tuple[str, str], ...]:
        return tuple(memory for step in self.steps for memory in step.memories)

    @property
    def tool_calls(self) -> int:
        return sum(len(step.tools) for step in self.steps)

    @property
    def entity_ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(entity_id for step in self.steps for entity_id in step.entity_ids))

    @property
    def active(self) -> StepView | None:
        """The step under way."""
        return next((step for step in reversed(self.steps) if step.seconds is None), None)


def fold(events: Iterable[Event]) -> RunView:
    return reduce(apply, events, RunView())


def apply(view: RunView, event: Event) -> RunView:
    """The view after one more event; events that it has no place for change nothing."""
    for kinds, change in _CHANGES:
        if isinstance(event, kinds):
            return change(view, event)
    return view


def as_ended(run: Run, view: RunView) -> Run:
    """The run as it is stored at its end; the error is a sentence in English."""
    failed = view.status in {RunStatus.FAILED, RunStatus.INTERRUPTED}
    sentence = text(view.message, "en", **dict(view.params)) if known(view.message) else view.message
    return replace(
        run,
        status=view.status,
        outcome=view.outcome,
        answer=view.answer,
        citations=view.citations,
        usage=view.usage,
        seconds=view.seconds or 0.0,
        error=sentence if failed else "",
    )


def _of_run(view: RunView, event: Event) -> RunView:
    match event:
        case RunStarted():
            return replace(
                view, question=event.question, workflow=event.workflow, engine=event.engine, owner=event.owner
            )
        case BudgetSet():
            return replace(view, budget=event)
        case RunFinished():
            return replace(view, status=RunStatus.DONE, outcome=event.outcome, seconds=event.seconds, usage=event.usage)
        case RunStopped():
            return replace(view, status=RunStatus.STOPPED, seconds=event.seconds)
        case RunFailed():
            status = RunStatus.INTERRUPTED if event.message == INTERRUPTED else RunStatus.FAILED
            return replace(view, status=status, message=event.message, params=event.params)
    return view


def _of_answer(view: RunView, event: Event) -> RunView:
    match event:
        case AnswerDelta():
            return replace(view, answer=view.answer + event.text)
        case AnswerReset():
            withdrawn = (*view.withdrawn, event.reason)
            return replace(view, answer="", citations=(), unsupported=(), withdrawn=withdrawn)
        case FormsOffered():
            return replace(view, forms=event.forms)
        case ConsentAsked():
            return replace(view, asked=event.query)
        case ConsentGiven():
            return replace(view, asked="")
        case AnswerReady():
            return replace(view, answer=event.text, citations=event.citations, unsupported=event.unsupported)
    return view


def _of_node(view: RunView, event: Event) -> RunView:
    match event:
        case NodeStarted():
            return replace(view, steps=(*view.steps, StepView(event.node, event.attempt)))
        case NodeFinished():
            return _on_step(view, lambda step: _finished(step, event), event.node)
        case PassagesGraded():
            return _on_step(view, lambda step: replace(step, kept=event.kept, rejected=event.rejected), event.node)
        case GraphTouched():
            return _on_step(view, lambda step: replace(step, entity_ids=event.entity_ids), event.node)
    return view


def _within_node(view: RunView, event: Event) -> RunView:
    """Events that name no node belong to the one that started last."""
    match event:
        case MemoriesRecalled():
            return _on_step(view, lambda step: replace(step, memories=event.memories))
        case MemorySaved():
            return _on_step(view, lambda step: replace(step, saved=(*step.saved, event)))
        case ModelCalled():
            spent = replace(view, usage=view.usage + event.usage)
            return _on_step(spent, lambda step: _called(step, event))
        case ToolCalled():
            return _on_step(view, lambda step: replace(step, tools=(*step.tools, event)))
        case WebQueried():
            return _on_step(view, lambda step: replace(step, queries=(*step.queries, event.query)))
        case Degraded():
            return _on_step(view, lambda step: replace(step, degraded=(*step.degraded, event)))
    return view


_CHANGES: tuple[tuple[tuple[type, ...], Callable[[RunView, Event], RunView]], ...] = (
    ((AnswerDelta, AnswerReset, AnswerReady, FormsOffered, ConsentAsked, ConsentGiven), _of_answer),
    ((NodeStarted, NodeFinished, PassagesGraded, GraphTouched), _of_node),
    ((MemoriesRecalled, MemorySaved, ModelCalled, ToolCalled, WebQueried, Degraded), _within_node),
    ((RunStarted, BudgetSet, RunFinished, RunStopped, RunFailed), _of_run),
)


def _called(step: StepView, event: ModelCalled) -> StepView:
    return replace(step, calls=(*step.calls, event), usage=step.usage + event.usage)


def _finished(step: StepView, event: NodeFinished) -> StepView:
    return replace(
        step,
        seconds=event.seconds,
        outcome=event.outcome,
        reason=event.reason,
        details=event.details,
        usage=event.usage,
    )


def _on_step(view: RunView, change: Callable[[StepView], StepView], node: str = "") -> RunView:
    """The newest step of the node, or the newest of all, changed; nothing when there is none."""
    for at in range(len(view.steps) - 1, -1, -1):
        if node in {"", view.steps[at].node}:
            return replace(view, steps=(*view.steps[:at], change(view.steps[at]), *view.steps[at + 1 :]))
    return view
