"""Lists of runs: filter, rows, and sums over time."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from core.platform.texts import LANGUAGES, text
from core.runs.model import RunPurpose, RunStatus, Usage

PROBABLE = "probably"
"""Stands for the outcome of an answer that calls itself probable."""


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Empty fields do not filter."""

    question: str = ""
    """Words of it, ignoring case, width and Chinese script."""
    workflow: str = ""
    engine: str = ""
    ending: str = ""
    """See RunLine.ending; PROBABLE for the answers that call themselves probable, which no other ending includes."""
    base_id: str = ""
    verdict: str = ""
    """Of the reader: a Verdict."""
    purpose: RunPurpose | None = None
    degraded: bool = False
    """Only runs in which a model failed."""
    since: datetime | None = None
    before: datetime | None = None


@dataclass(frozen=True, slots=True)
class RunLine:
    """A run without its answer."""

    id: str
    thread_id: str
    question: str
    workflow: str
    engine: str
    status: RunStatus
    outcome: str
    started_at: datetime
    seconds: float
    usage: Usage
    degraded: bool
    purpose: RunPurpose
    is_probable: bool = False
    """Whether its answer calls itself probable."""

    @property
    def ending(self) -> str:
        return ending_of(self.status, self.outcome)


def ending_of(status: RunStatus, outcome: str) -> str:
    """The outcome of a finished run, else its status; the two sets have no common values."""
    return outcome if status is RunStatus.DONE and outcome else status.value


def probable_beginnings() -> tuple[str, ...]:
    """How an answer that calls itself probable begins, in every language."""
    return tuple(text("answer.frame.probably", language) for language in LANGUAGES)


class TimeSpan(StrEnum):
    HOUR = "hour"
    DAY = "day"


@dataclass(frozen=True, slots=True)
class RunSum:
    """Runs that began in one span of time, with one engine and one ending."""

    start: str
    """Start of the span in UTC: 2026-11-22 or 2026-11-22 13; 2026-11 where days are added up."""
    engine: str
    ending: str
    runs: int
    seconds: float
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class Removed:
    runs: int
    threads: int
    """Number of conversations that had no other runs."""
