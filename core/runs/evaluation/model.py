"""Evaluations: questions with expectations, and their results."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from core.platform.ids import content_id
from core.runs.model import AnswerOutcome, RunStatus, Usage

DECLINED = (AnswerOutcome.CLOSEST, AnswerOutcome.NOT_FOUND)
"""Outcomes without a sure answer."""
FAILED = (RunStatus.FAILED, RunStatus.INTERRUPTED, RunStatus.STOPPED, AnswerOutcome.UNJUDGED)


@dataclass(frozen=True, slots=True)
class Case:
    """A question with its expectations; empty ones are not checked."""

    id: str
    question: str
    document: str = ""
    """Name of the file that answers."""
    page: int | None = None
    """Page that answers, counted from 1."""
    answer: str = ""
    """Words that the answer has to contain."""
    declined: bool = False
    """The documents do not answer it."""


def new_case(question: str, document: str, page: int | None, answer: str = "", declined: bool = False) -> Case:
    """A case with an id made of its content, so that the same case is stored once."""
    identity = content_id("case", question, document, str(page), answer, str(declined))
    return Case(identity, question, document, page, answer, declined)


@dataclass(frozen=True, slots=True)
class QuestionList:
    id: str
    name: str
    cases: int
    changed_at: datetime


class EvaluationStatus(StrEnum):
    RUNNING = "running"
    DONE = "done"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Every case of a list, asked by every workflow."""

    id: str
    list_id: str
    base_id: str
    thread_id: str
    """Holds its runs."""
    workflows: tuple[str, ...]
    cases: tuple[Case, ...]
    """The cases when the evaluation began; the list may change later."""
    status: EvaluationStatus
    owner: str
    """The process that works on it."""
    started_at: datetime

    @property
    def questions(self) -> int:
        """Number of questions to ask."""
        return len(self.cases) * len(self.workflows)


@dataclass(frozen=True, slots=True)
class CaseResult:
    """Result of a case with one workflow."""

    case_id: str
    workflow: str
    run_id: str
    engine: str
    ending: str
    """See RunLine.ending."""
    right_page: bool | None = None
    """None where no page and no document is expected."""
    right_answer: bool | None = None
    sentences: int = 0
    """Number of sentences of the answer."""
    supported: int = 0
    """Sentences that a passage supports."""
    degraded: bool = False
    """A model failed and rules took its place."""
    seconds: float = 0.0
    usage: Usage = field(default_factory=Usage)
