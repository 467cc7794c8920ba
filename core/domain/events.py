"""What leaves a run: the only thing that the pages, the log and the command line know of it."""

from dataclasses import dataclass, field

from core.domain.passages import Citation
from core.domain.runs import Usage


@dataclass(frozen=True, slots=True)
class Scored:
    """A passage as the trace shows it: text is cut to what a person reads."""

    chunk_id: str
    document_name: str
    page: int
    text: str
    score: float
    sources: tuple[str, ...] = ()
    reason: str = ""
    """Catalogue key of why it was rejected; empty when kept."""


@dataclass(frozen=True, slots=True)
class RunStarted:
    question: str
    workflow: str
    engine: str
    owner: str = ""
    """The process that runs it, so that others can tell whether it still lives."""


@dataclass(frozen=True, slots=True)
class BudgetSet:
    """What the question may spend at most."""

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
    """What the node decided, or empty."""
    reason: str = ""
    """Why, in a sentence of the interface or of the model."""
    details: tuple[tuple[str, str], ...] = ()
    """Named values worth showing: queries, language, counts."""
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class PassagesGraded:
    node: str
    kept: tuple[Scored, ...]
    rejected: tuple[Scored, ...]


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
class ModelCalled:
    task: str
    prompt: str
    """What was sent, secrets removed, cut to a readable length."""
    response: str
    seconds: float
    usage: Usage


@dataclass(frozen=True, slots=True)
class ToolCalled:
    tool: str
    arguments: str
    """JSON."""
    result: str
    seconds: float
    call_id: str = ""
    """The model's id of the call; empty where no model asked for it."""


@dataclass(frozen=True, slots=True)
class FormsOffered:
    """Forms that the reader can download with the answer."""

    forms: tuple[tuple[str, str], ...]
    """(document id, file name)."""


@dataclass(frozen=True, slots=True)
class ConsentAsked:
    """The run waits for a person's word before this query leaves the machine."""

    query: str


@dataclass(frozen=True, slots=True)
class ConsentGiven:
    consent: str
    """once, thread, no or unanswered."""


@dataclass(frozen=True, slots=True)
class WebQueried:
    """This query leaves the machine for the web, as it stands."""

    query: str


@dataclass(frozen=True, slots=True)
class Degraded:
    """A model could not do its task; the rule did it instead."""

    task: str
    reason: str


@dataclass(frozen=True, slots=True)
class AnswerDelta:
    text: str


@dataclass(frozen=True, slots=True)
class AnswerReset:
    """The answer streamed so far was withdrawn (a correction follows)."""

    reason: str


@dataclass(frozen=True, slots=True)
class AnswerReady:
    """The whole answer, which replaces what was streamed."""

    text: str
    citations: tuple[Citation, ...]
    unsupported: tuple[str, ...] = ()
    """Sentences of the answer that no passage supports."""


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
    """Catalogue key or sentence for a person, with the remedy."""
    params: tuple[tuple[str, str], ...] = ()


Event = (
    RunStarted
    | BudgetSet
    | NodeStarted
    | NodeFinished
    | PassagesGraded
    | MemoriesRecalled
    | MemorySaved
    | GraphTouched
    | ModelCalled
    | ToolCalled
    | FormsOffered
    | ConsentAsked
    | ConsentGiven
    | WebQueried
    | Degraded
    | AnswerDelta
    | AnswerReset
    | AnswerReady
    | RunFinished
    | RunStopped
    | RunFailed
)
END_EVENTS = (RunFinished, RunStopped, RunFailed)
