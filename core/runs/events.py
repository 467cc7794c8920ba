"""Events of a run: all that the pages, the log and the command line know about it."""

from dataclasses import dataclass, field

from core.memory.model import PreferredForm
from core.models.meter import ModelPhase
from core.rulebook.model import Assessment
from core.runs.model import Attachment, QuestionPart, Usage
from core.search.model import Citation, FoundPassage, ShownPassage


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage as shown in the trace, with its text shortened."""

    chunk_id: str
    document_name: str
    page: int
    text: str
    score: float
    sources: tuple[str, ...] = ()
    reason: str = ""
    """Catalogue key of the reason for rejection; empty if kept."""


@dataclass(frozen=True, slots=True)
class RunStarted:
    question: str
    workflow: str
    engine: str
    owner: str = ""
    """The process that runs it, so that others can check whether it is alive."""
    spent: Usage = field(default_factory=Usage)
    """By processes that answered the run before, as far as is known."""


@dataclass(frozen=True, slots=True)
class BudgetSet:
    """Limits of the question."""

    model_calls: int
    tokens: int
    seconds: float
    tool_calls: int


@dataclass(frozen=True, slots=True)
class NodeStarted:
    node: str
    attempt: int


@dataclass(frozen=True, slots=True)
class NodeFinished:
    node: str
    attempt: int
    seconds: float
    outcome: str
    """The node's decision, or empty."""
    reason: str = ""
    """The reason, as a sentence of the interface or of the model."""
    details: tuple[tuple[str, str], ...] = ()
    """Named values to show: queries, language, counts."""
    usage: Usage = field(default_factory=Usage)
    update: str = ""
    """The change of the run's state, as JSON; empty for a node inside another one."""


@dataclass(frozen=True, slots=True)
class ContinuedFrom:
    """The run goes on from a step of an earlier run: the steps so far are that run's."""

    run_id: str
    node: str
    attempt: int
    changed: tuple[str, ...] = ()
    """What the reader changed: names under run.changed."""


@dataclass(frozen=True, slots=True)
class AttachmentsRead:
    """How far the files that the question was sent with have come."""

    files: tuple[Attachment, ...]


@dataclass(frozen=True, slots=True)
class PassagesGraded:
    node: str
    kept: tuple[Scored, ...]
    rejected: tuple[Scored, ...]


@dataclass(frozen=True, slots=True)
class EvidenceAssessed:
    """Result of the rules for the passages of the current step."""

    assessment: Assessment


@dataclass(frozen=True, slots=True)
class MemoriesRecalled:
    memories: tuple[tuple[str, str], ...]
    """(memory id, text)."""


@dataclass(frozen=True, slots=True)
class MemorySaved:
    memory_id: str
    text: str
    status: str


@dataclass(frozen=True, slots=True)
class GraphTouched:
    node: str
    entity_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModelAsked:
    """A call of the model begins."""

    task: str
    seconds: float
    """Time limit of the call."""


@dataclass(frozen=True, slots=True)
class ModelProgress:
    """How far the model on this machine has come with the call under way."""

    phase: ModelPhase
    percent: int


@dataclass(frozen=True, slots=True)
class ModelCalled:
    task: str
    prompt: str
    """The prompt with secrets removed, shortened for display."""
    response: str
    seconds: float
    usage: Usage
    certainty: float | None = None
    """Mean log probability of the reply's tokens, where the endpoint tells it."""


@dataclass(frozen=True, slots=True)
class ToolCalled:
    tool: str
    arguments: str
    """JSON."""
    result: str
    seconds: float
    call_id: str = ""
    """The model's id of the call; empty if no model requested it."""


@dataclass(frozen=True, slots=True)
class FormsOffered:
    """Forms offered for download with the answer."""

    forms: tuple[tuple[str, str], ...]
    """(document id, file name)."""


@dataclass(frozen=True, slots=True)
class ForgetOffered:
    """Memories that the answer names to be forgotten; a person deletes them."""

    memory_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ConsentAsked:
    """The run waits for the user's decision before it sends this query to the web."""

    query: str


@dataclass(frozen=True, slots=True)
class ConsentGiven:
    consent: str
    """once, thread, no or unanswered."""


@dataclass(frozen=True, slots=True)
class WebQueried:
    """This query is being sent to the web verbatim."""

    query: str


SEARCH_UNFINISHED = "retrieval.unfinished"
"""Reason of a search in a base whose vectors are still to be made."""


@dataclass(frozen=True, slots=True)
class Degraded:
    """A model failed at its task, and the rule was used instead."""

    task: str
    reason: str
    params: tuple[tuple[str, str], ...] = ()
    """Placeholders of the reason."""


@dataclass(frozen=True, slots=True)
class AnswerDelta:
    text: str


@dataclass(frozen=True, slots=True)
class AnswerReset:
    """The answer streamed so far was withdrawn (a correction follows)."""

    reason: str


@dataclass(frozen=True, slots=True)
class AnswerReady:
    """The complete answer, which replaces the streamed text."""

    text: str
    citations: tuple[Citation, ...]
    unsupported: tuple[str, ...] = ()
    """Sentences of the answer that are not supported by any passage."""
    interrupted: bool = False
    """The model broke off; the text is incomplete."""
    parts: tuple[QuestionPart, ...] = ()
    """For a message with two questions, which of them are answered."""
    choices: tuple[str, ...] = ()
    """The ways to read a question that could not be resolved surely, each as a question."""
    passages: tuple[ShownPassage, ...] = ()
    """The closest passages where no answer is sure; the text introduces them."""
    stands_in: ShownPassage | None = None
    """The passage that the answer rests on."""
    beside: tuple[FoundPassage, ...] = ()
    """Of a small model, which errs often: further passages that the rules found for the question."""


@dataclass(frozen=True, slots=True)
class RulesAnswered:
    """What the rules know where a model is asked now: shown until the model's answer is there."""

    answer: AnswerReady


@dataclass(frozen=True, slots=True)
class PreferencesFollowed:
    """What the answer did because memories ask for it, each to be seen in it."""

    forms: tuple[PreferredForm, ...]


@dataclass(frozen=True, slots=True)
class TextsRemoved:
    """The run is old: what its steps read and wrote is no longer kept."""


@dataclass(frozen=True, slots=True)
class FollowUpsFound:
    """Questions to ask next that the documents answer."""

    questions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunFinished:
    outcome: str
    seconds: float
    usage: Usage


@dataclass(frozen=True, slots=True)
class RunStopped:
    seconds: float


@dataclass(frozen=True, slots=True)
class RunFailed:
    message: str
    """Catalogue key or sentence for the user, with the remedy."""
    params: tuple[tuple[str, str], ...] = ()
    seconds: float = 0.0
    """0 where its process died and nobody knows when."""


Event = (
    RunStarted
    | BudgetSet
    | NodeStarted
    | NodeFinished
    | ContinuedFrom
    | AttachmentsRead
    | PassagesGraded
    | EvidenceAssessed
    | MemoriesRecalled
    | MemorySaved
    | GraphTouched
    | ModelAsked
    | ModelProgress
    | ModelCalled
    | ToolCalled
    | TextsRemoved
    | FormsOffered
    | ForgetOffered
    | ConsentAsked
    | ConsentGiven
    | WebQueried
    | Degraded
    | AnswerDelta
    | AnswerReset
    | AnswerReady
    | RulesAnswered
    | PreferencesFollowed
    | FollowUpsFound
    | RunFinished
    | RunStopped
    | RunFailed
)
END_EVENTS = (RunFinished, RunStopped, RunFailed)
