"""Feedback on answers."""

from dataclasses import dataclass
from enum import StrEnum


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
