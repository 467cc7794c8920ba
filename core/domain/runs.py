"""Conversations and the runs that answer in them."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from core.domain.passages import Citation


class RunStatus(StrEnum):
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"
    INTERRUPTED = "interrupted"
    """The process died while the run was under way."""


class AnswerOutcome(StrEnum):
    """How a finished run ended, for a person and for measurement."""

    ANSWERED = "answered"
    UNCONFIRMED = "unconfirmed"
    NOT_FOUND = "not_found"
    DIRECT = "direct"
    OUT_OF_SCOPE = "out_of_scope"
    BLOCKED = "blocked"
    SAFE_REPLY = "safe_reply"


@dataclass(frozen=True, slots=True)
class Usage:
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False
    """Some of the tokens were counted here, because the endpoint reported none."""

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
    """Whether its questions may be searched for on the web without asking."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One side of the conversation, as nodes see the history."""

    role: str
    """user or assistant."""
    text: str


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Everything that decides a run; the question is untrusted text."""

    question: str
    base_id: str
    workflow: str = "adaptive"
    thread_id: str = ""
    """Empty starts a new thread."""
    use_memory: bool = True
    use_web: bool = False
    web_agreed: bool = False
    """The asker has agreed to web searches already, so that nobody is asked."""


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
    """A sentence for a person; empty when the run did not fail."""
