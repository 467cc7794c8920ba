"""Conversations, the runs that answer in them with attached files, and feedback on answers."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from core.documents.model import Stage
from core.search.model import Citation

MAX_QUESTION = 8_000
"""Characters of a question; longer texts belong in a document."""


class RunStatus(StrEnum):
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    """The process died during the run."""


class RunPurpose(StrEnum):
    """What a run is for. Everything but a conversation is asked on its own, in a thread that the list does not show."""

    CHAT = "chat"
    EVALUATION = "evaluation"
    ARENA = "arena"
    API = "api"
    """Asked by a program that keeps the conversation itself, or may not change any."""


class AnswerOutcome(StrEnum):
    """How a finished run ended, for the user and for evaluation."""

    ANSWERED = "answered"
    UNCONFIRMED = "unconfirmed"
    CLOSEST = "closest"
    """No sure answer: passages that come closest, shown as search results."""
    NOT_FOUND = "not_found"
    UNJUDGED = "unjudged"
    """Nothing was found, but the model that should have judged what was found failed: the documents may answer."""
    UNREADY = "unready"
    """The knowledge base has no document that can be searched, or none yet."""
    ASKED_BACK = "asked_back"
    """The question can be read in two ways: the user is asked which is meant."""
    DIRECT = "direct"
    OUT_OF_SCOPE = "out_of_scope"
    BLOCKED = "blocked"
    SAFE_REPLY = "safe_reply"


class AttachmentStatus(StrEnum):
    """The status of the document, or why there is none."""

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    READY = "ready"
    FAILED = "failed"
    CANCELLED = "cancelled"
    UNDECIDED = "undecided"
    """The upload waits for the reader's decision."""
    GONE = "gone"
    """The upload was discarded, or the document was deleted."""


SETTLED_ATTACHMENTS = frozenset(
    {AttachmentStatus.READY, AttachmentStatus.FAILED, AttachmentStatus.CANCELLED, AttachmentStatus.GONE}
)


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """Identity of a file; a knowledge base stores the same bytes once."""

    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Attachment:
    """How far an attached file has come."""

    name: str
    """Untrusted."""
    status: AttachmentStatus
    share: float = 0.0
    """0..1: part of the reading that is done, with two decimals."""
    stage: Stage | None = None
    """The current stage."""
    error_key: str = ""
    """Catalogue key of the failure, with its parameters; empty if none."""
    error_params: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False
    """Some tokens were estimated because the endpoint did not report them."""

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.model_calls + other.model_calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class Thread:
    id: str
    title: str
    base_id: str
    workflow: str
    created_at: datetime
    updated_at: datetime
    web_allowed: bool = False
    """Whether web searches are allowed without asking."""
    degraded: bool = False
    """Its newest answer was made without all or some of the model."""
    leaf_id: str = ""
    """The run at the end of the branch that is shown; empty before the first one."""
    pinned: bool = False
    folder: str = ""
    """Empty where it is in none."""


@dataclass(frozen=True, slots=True)
class QuestionPart:
    """One of the questions that a message asks."""

    question: str
    """As it would be asked on its own."""
    answered: bool


@dataclass(frozen=True, slots=True)
class Turn:
    """One side of the conversation, as nodes see it."""

    role: str
    """user or assistant."""
    text: str
    outcome: str = ""
    """Outcome of the run of an assistant's turn, if known."""
    run_id: str = ""
    """Of an assistant's turn, if known."""


@dataclass(frozen=True, slots=True)
class Continuation:
    """A run that goes on from a step of an earlier one, with changes to what that step left behind."""

    run_id: str
    node: str
    attempt: int
    outcome: str = ""
    """The outcome to continue with, instead of the original one."""
    question: str = ""
    """The resolved question from here on."""
    query: str = ""
    answer: str = ""
    kept: tuple[str, ...] | None = None
    """Ids of the chunks that count as evidence."""
    dropped: tuple[str, ...] = ()
    """Ids of the chunks that counted as evidence and that no later search finds again."""
    arguments: tuple[str, ...] = ()
    """JSON arguments, one for each pending tool call."""

    @property
    def changed(self) -> tuple[str, ...]:
        """Names under run.changed."""
        texts = ("outcome", "question", "query", "answer", "arguments")
        return (*(name for name in texts if getattr(self, name)), *(["kept"] if self.kept is not None else []))


class Length(StrEnum):
    """Length of an answer compared with the usual one."""

    SHORTER = "shorter"
    LONGER = "longer"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a question is asked, beyond its words and workflow; kept with the run, so that asking again repeats it."""

    documents: tuple[str, ...] = ()
    """Ids of the documents that alone are searched; empty for all."""
    entities: tuple[str, ...] = ()
    """Ids of entities: only what mentions one of them is searched."""
    insisted: tuple[str, ...] = ()
    """Ids of chunks that count as evidence however they are graded."""
    without_memories: tuple[str, ...] = ()
    """Ids of memories that are not recalled."""
    engine: str = ""
    """Name of the model, or BUILT_IN; empty for the one of the settings."""
    continues: Continuation | None = None
    bases: tuple[str, ...] = ()
    """Ids of the knowledge bases that are searched besides the question's own."""
    length: Length | None = None
    language: str = ""
    """Of the answer; empty for that of the question."""
    attached: tuple[AttachedFile, ...] = ()
    """Files that are read before the question is answered."""

    @property
    def is_limited(self) -> bool:
        """Whether the search is limited to some documents or entities."""
        return bool(self.documents or self.entities)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Everything that determines a run; the question is untrusted text."""

    question: str
    base_id: str
    workflow: str = "adaptive"
    thread_id: str = ""
    """Empty starts a new thread."""
    use_memory: bool = True
    use_web: bool = False
    web_agreed: bool = False
    """The user has agreed to web searches in advance."""
    interface_language: str = ""
    """Language of the pages; empty on the command line."""
    after: str | None = None
    """Id of the run that it follows: a sibling of what followed before. None: the end of the branch that is shown;
    empty: the beginning of the thread."""
    options: RunOptions = RunOptions()
    purpose: RunPurpose = RunPurpose.CHAT
    history: tuple[Turn, ...] | None = None
    """Earlier turns, oldest first, if the caller keeps the conversation; None for those of the thread."""

    @property
    def begins_chat(self) -> bool:
        """Whether the run is the first question of a chat, or replaces it."""
        return self.purpose is RunPurpose.CHAT and (not self.thread_id or self.after == "")


@dataclass(frozen=True, slots=True)
class Run:
    id: str
    thread_id: str
    base_id: str
    question: str
    workflow: str
    engine: str
    status: RunStatus
    started_at: datetime
    outcome: str = ""
    answer: str = ""
    citations: tuple[Citation, ...] = ()
    usage: Usage = field(default_factory=Usage)
    seconds: float = 0.0
    error: str = ""
    """A sentence for the user: why the run failed, or what failed of the model if it ended all the same."""
    parent_id: str = ""
    """The run that it follows; empty for a first question."""
    options: RunOptions = RunOptions()
    purpose: RunPurpose = RunPurpose.CHAT
    process: str = ""
    """Id of the process that answers or answered it."""

    @property
    def degraded(self) -> bool:
        """Whether the run finished although a model failed."""
        return self.status is RunStatus.DONE and bool(self.error)


@dataclass(frozen=True, slots=True)
class RunCommand:
    """A command to an active run, from any process."""

    run_id: str
    stop: bool
    consent: str
    """The user's answer to the run's question; empty if there is none."""


class Verdict(StrEnum):
    UP = "up"
    DOWN = "down"


class Complaint(StrEnum):
    """What is wrong with an answer; the reader names the worst problem."""

    WRONG = "wrong"
    INCOMPLETE = "incomplete"
    SOURCE = "source"
    """The cited place does not say it."""
    MISSED = "missed"
    """The documents do have the answer."""
    FORM = "form"
    """Too long, too short, or in the wrong language."""
    OTHER = "other"


MAX_COMMENT = 1_000


@dataclass(frozen=True, slots=True)
class Feedback:
    run_id: str
    verdict: Verdict
    complaint: Complaint | None = None
    """Of a thumbs-down, where the reader gave a reason."""
    comment: str = ""
