"""A run as people see it, built from its events; identical live, after a reload and as replay."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from functools import reduce

from core.agents.intents import ALL_LISTED
from core.memory.model import AnswerForm
from core.models.prompt_files import prompt_names
from core.rulebook.model import Assessment
from core.rulebook.quotes import with_tables
from core.runs.events import (
    SEARCH_UNFINISHED,
    AnswerDelta,
    AnswerReady,
    AnswerReset,
    AttachmentsRead,
    BudgetSet,
    ConsentAsked,
    ConsentGiven,
    ContinuedFrom,
    Degraded,
    Event,
    EvidenceAssessed,
    FollowUpsFound,
    ForgetOffered,
    FormsOffered,
    GraphTouched,
    MemoriesRecalled,
    MemorySaved,
    ModelAsked,
    ModelCalled,
    ModelProgress,
    NodeFinished,
    NodeStarted,
    PassagesGraded,
    PreferencesFollowed,
    RulesAnswered,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    Scored,
    TextsRemoved,
    ToolCalled,
    WebQueried,
)
from core.runs.history.passage_text import with_passages
from core.runs.model import Attachment, QuestionPart, RunStatus, Usage
from core.search.model import Citation, FoundPassage, ShownPassage

INTERRUPTED = "run.interrupted"
"""Catalogue key for a run whose process died."""
_MODEL_FAULTS = ("llm.", "local_model.")
"""Beginnings of the catalogue keys that say why a model failed."""
STOPPED = "stopped"
"""Outcome of a step that was active when the reader stopped the run."""


@dataclass(frozen=True, slots=True)
class StepView:
    """One visit of a node."""

    node: str
    attempt: int
    seconds: float | None = None
    """None while in progress."""
    outcome: str = ""
    reason: str = ""
    """Catalogue key with the details as placeholders, or a sentence."""
    details: tuple[tuple[str, str], ...] = ()
    usage: Usage = field(default_factory=Usage)
    kept: tuple[Scored, ...] = ()
    rejected: tuple[Scored, ...] = ()
    assessment: Assessment | None = None
    """Result of the rules; None if they did not assess the passages."""
    attachments: tuple[Attachment, ...] = ()
    """Files that it waits or waited for."""
    memories: tuple[tuple[str, str], ...] = ()
    saved: tuple[MemorySaved, ...] = ()
    entity_ids: tuple[str, ...] = ()
    calls: tuple[ModelCalled, ...] = ()
    tools: tuple[ToolCalled, ...] = ()
    degraded: tuple[Degraded, ...] = ()
    waiting: ModelAsked | None = None
    """The current model call, before its first output."""
    progress: ModelProgress | None = None
    """Progress of that call, if the model reports it."""
    queries: tuple[str, ...] = ()
    """Sent to the web, verbatim."""
    update: str = ""
    """Change of the state as JSON; empty if no run can continue from the step."""
    reused: bool = False
    """Taken over from the run that this one continues."""


@dataclass(frozen=True, slots=True)
class RunView:
    question: str = ""
    workflow: str = ""
    engine: str = ""
    owner: str = ""
    status: RunStatus = RunStatus.RUNNING
    steps: tuple[StepView, ...] = ()
    answer: str = ""
    """The text so far."""
    citations: tuple[Citation, ...] = ()
    parts: tuple[QuestionPart, ...] = ()
    """For a message with two questions, which of them are answered."""
    choices: tuple[str, ...] = ()
    """Readings of the question, of which the user has to choose one."""
    is_ready: bool = False
    """Whether the answer is complete."""
    passages: tuple[ShownPassage, ...] = ()
    """The closest passages where no answer is sure; the answer introduces them."""
    stands_in: ShownPassage | None = None
    """The passage that the answer rests on."""
    beside: tuple[FoundPassage, ...] = ()
    """Further passages that the rules found."""
    by_rules: AnswerReady | None = None
    """The answer of the rules, shown while a model works and if none answers."""
    preferred: tuple[AnswerForm, ...] = ()
    """Preferences in memories that the answer followed."""
    follow_ups: tuple[str, ...] = ()
    unsupported: tuple[str, ...] = ()
    interrupted: bool = False
    """The model broke off in the middle of the answer."""
    forms: tuple[tuple[str, str], ...] = ()
    """(document id, file name) of the forms offered for download."""
    to_forget: tuple[str, ...] = ()
    """Ids of the memories that the answer names to be forgotten."""
    asked: str = ""
    """The query that awaits consent before it is sent to the web."""
    withdrawn: tuple[str, ...] = ()
    """Why streamed answers were withdrawn, in order."""
    outcome: str = ""
    seconds: float | None = None
    usage: Usage = field(default_factory=Usage)
    budget: BudgetSet | None = None
    """None for runs recorded before budgets existed."""
    message: str = ""
    """For a failed run: catalogue key or sentence, with params as its placeholders."""
    params: tuple[tuple[str, str], ...] = ()
    texts_removed: bool = False
    """Whether what the steps read and wrote is no longer kept."""

    @property
    def attachments(self) -> tuple[Attachment, ...]:
        return tuple(file for step in self.steps for file in step.attachments)

    @property
    def memories(self) -> tuple[tuple[str, str], ...]:
        return tuple(memory for step in self.steps for memory in step.memories)

    @property
    def lists_what_was_told(self) -> bool:
        return any(step.reason == ALL_LISTED for step in self.steps)

    @property
    def laid_out(self) -> str:
        """The answer as Markdown, rows of tables as tables."""
        return with_tables(self.answer, self.citations)

    @property
    def interim(self) -> AnswerReady | None:
        """The answer of the rules, until the answer is complete."""
        return None if self.is_ready else self.by_rules

    @property
    def places(self) -> tuple[Citation, ...]:
        """Citations of the shown answer and of the passages beside it, one a number."""
        cited = (self.interim or self).citations
        known = {citation.number for citation in cited}
        beside = () if self.interim else (found.citation for found in self.beside)
        return (*cited, *(citation for citation in beside if citation.number not in known))

    @property
    def written(self) -> str:
        """laid_out with the unfolded passages below it."""
        return with_passages(self.laid_out, self.passages, self.citations)

    @property
    def failures(self) -> tuple[Degraded, ...]:
        """Failures of the model in order, without failures of tools."""
        told = [event for step in self.steps for event in step.degraded if event.reason.startswith(_MODEL_FAULTS)]
        return tuple(event for event in told if event.task in prompt_names())

    @property
    def is_search_unfinished(self) -> bool:
        """Whether it searched while vectors were still to be made."""
        return any(event.reason == SEARCH_UNFINISHED for step in self.steps for event in step.degraded)

    @property
    def assessment(self) -> Assessment | None:
        """Latest assessment of passages by the rules; None if they assessed none."""
        return next((step.assessment for step in reversed(self.steps) if step.assessment), None)

    @property
    def tool_calls(self) -> int:
        return sum(len(step.tools) for step in self.steps)

    @property
    def entity_ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(entity_id for step in self.steps for entity_id in step.entity_ids))

    @property
    def active(self) -> StepView | None:
        """The current step."""
        return next((step for step in reversed(self.steps) if step.seconds is None), None)


def fold(events: Iterable[Event]) -> RunView:
    return reduce(apply, events, RunView())


def apply(view: RunView, event: Event) -> RunView:
    """The view after one more event; unknown events change nothing."""
    for change in (_of_answer, _of_node, _within_node, _of_run):
        if (changed := change(view, event)) is not None:
            return changed
    return view


def _of_run(view: RunView, event: Event) -> RunView | None:
    match event:
        case RunStarted():  # from the beginning, also where another process takes it over
            begun = RunView(event.question, event.workflow, event.engine, event.owner)
            return replace(begun, usage=event.spent, texts_removed=view.texts_removed)
        case BudgetSet():
            return replace(view, budget=event)
        case PreferencesFollowed():
            return replace(view, preferred=tuple(one.form for one in event.forms))
        case TextsRemoved():
            return replace(view, texts_removed=True)
        case RunFinished():
            return replace(view, status=RunStatus.DONE, outcome=event.outcome, seconds=event.seconds, usage=event.usage)
        case RunStopped():
            steps = tuple(_stopped(step) for step in view.steps)
            return replace(view, status=RunStatus.STOPPED, seconds=event.seconds, steps=steps)
        case RunFailed():
            status = RunStatus.INTERRUPTED if event.message == INTERRUPTED else RunStatus.FAILED
            seconds = event.seconds or None
            return replace(view, status=status, message=event.message, params=event.params, seconds=seconds)
    return None


def _of_answer(view: RunView, event: Event) -> RunView | None:
    match event:
        case AnswerDelta():
            return replace(view, answer=view.answer + event.text)
        case AnswerReset():
            withdrawn = replace(view, withdrawn=(*view.withdrawn, event.reason))
            return _showing(withdrawn, AnswerReady("", ()), is_ready=False)
        case FollowUpsFound():
            return replace(view, follow_ups=event.questions)
        case FormsOffered():
            return replace(view, forms=event.forms)
        case ForgetOffered():
            return replace(view, to_forget=event.memory_ids)
        case ConsentAsked():
            return replace(view, asked=event.query)
        case ConsentGiven():
            return replace(view, asked="")
        case AnswerReady():
            return _showing(view, event, is_ready=True)
        case RulesAnswered():
            return replace(view, by_rules=event.answer)
    return None


def _showing(view: RunView, answer: AnswerReady, *, is_ready: bool) -> RunView:
    return replace(
        view,
        answer=answer.text,
        citations=answer.citations,
        unsupported=answer.unsupported,
        interrupted=answer.interrupted,
        parts=answer.parts,
        choices=answer.choices,
        is_ready=is_ready,
        passages=answer.passages,
        stands_in=answer.stands_in,
        beside=answer.beside,
    )


def _of_node(view: RunView, event: Event) -> RunView | None:
    match event:
        case NodeStarted():
            return replace(view, steps=(*view.steps, StepView(event.node, event.attempt)))
        case NodeFinished():
            return _on_step(view, lambda step: _finished(step, event), event.node)
        case PassagesGraded():
            return _on_step(view, lambda step: replace(step, kept=event.kept, rejected=event.rejected), event.node)
        case ContinuedFrom():
            return replace(view, steps=tuple(replace(step, reused=True) for step in view.steps))
        case GraphTouched():
            return _on_step(view, lambda step: replace(step, entity_ids=event.entity_ids), event.node)
    return None


def _within_node(view: RunView, event: Event) -> RunView | None:
    """Events that name no node belong to the node that started last."""
    match event:
        case EvidenceAssessed():
            return _on_step(view, lambda step: replace(step, assessment=event.assessment))
        case AttachmentsRead():
            return _on_step(view, lambda step: replace(step, attachments=event.files))
        case MemoriesRecalled():
            return _on_step(view, lambda step: replace(step, memories=event.memories))
        case MemorySaved():
            return _on_step(view, lambda step: replace(step, saved=(*step.saved, event)))
        case ModelAsked():
            return _on_step(view, lambda step: replace(step, waiting=event, progress=None))
        case ModelProgress():
            return _on_step(view, lambda step: replace(step, progress=event))
        case ModelCalled():
            spent = replace(view, usage=view.usage + event.usage)
            return _on_step(spent, lambda step: _called(step, event))
        case ToolCalled():
            return _on_step(view, lambda step: replace(step, tools=(*step.tools, event)))
        case WebQueried():
            return _on_step(view, lambda step: replace(step, queries=(*step.queries, event.query)))
        case Degraded():
            return _on_step(
                view, lambda step: replace(step, degraded=(*step.degraded, event), waiting=None, progress=None)
            )
    return None


def _stopped(step: StepView) -> StepView:
    """Earlier versions logged the end of a stopped step as an error."""
    under_way = step.seconds is None or step.outcome == "error"
    return replace(step, outcome=STOPPED, waiting=None, progress=None) if under_way else step


def _called(step: StepView, event: ModelCalled) -> StepView:
    return replace(step, calls=(*step.calls, event), usage=step.usage + event.usage, waiting=None, progress=None)


def _finished(step: StepView, event: NodeFinished) -> StepView:
    return replace(
        step,
        seconds=event.seconds,
        outcome=event.outcome,
        reason=event.reason,
        details=event.details,
        usage=event.usage,
        waiting=None,
        progress=None,
        update=event.update,
    )


def _on_step(view: RunView, change: Callable[[StepView], StepView], node: str = "") -> RunView:
    """The view with the latest step of the node, or the latest of all, changed; unchanged if there is none."""
    for at in range(len(view.steps) - 1, -1, -1):
        if node in {"", view.steps[at].node}:
            return replace(view, steps=(*view.steps[:at], change(view.steps[at]), *view.steps[at + 1 :]))
    return view
