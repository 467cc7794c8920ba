"""What the product remembers from past turns."""

import re
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.memory.units import Units
from core.platform.identity import acting_id
from core.platform.ids import content_id
from core.runs.model import Length

_LABELLED = re.compile(r"(?P<label>[^:：]{1,40})(?:(?<!\d):|:(?!\d)|：)\s*(?P<value>.+)", re.DOTALL)


class MemoryKind(StrEnum):
    FACT = "fact"
    PREFERENCE = "preference"
    CONCLUSION = "conclusion"


class MemoryStatus(StrEnum):
    PROPOSED = "proposed"
    ACTIVE = "active"
    EXPIRED = "expired"
    REJECTED = "rejected"
    """Declined by the user; stored so that it is not proposed again."""
    SUPERSEDED = "superseded"
    """Replaced by another memory that says the same, or the contrary."""
    FORGOTTEN = "forgotten"
    """A conclusion that was deleted: without its words, so that the same one is not drawn again."""


@dataclass(frozen=True, slots=True)
class Memory:
    id: str
    text: str
    kind: MemoryKind
    importance: int
    """1..10."""
    confidence: float
    status: MemoryStatus
    created_at: datetime
    last_used_at: datetime
    base_id: str = ""
    index_version: int = 0
    """Version of the knowledge base when the memory was created; the memory loses weight as the base changes."""
    thread_id: str = ""
    run_id: str = ""
    uses: int = 0
    pinned: bool = False
    expires_at: datetime | None = None
    """Time from which it is expired; None if it never expires."""
    superseded_by: str = ""
    """Id of the memory that replaced it."""
    in_thread_only: bool = False
    """Whether it is valid only in the thread that it came from."""
    reason: str = ""
    """Why it was proposed, or why the user declined it: catalogue key or a sentence of the user."""


@dataclass(frozen=True, slots=True)
class Scope:
    """Scope of a question: memories that are valid everywhere or there."""

    base_id: str
    thread_id: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """A memory and how sure it is that it bears on what was searched, 0..1."""

    memory: Memory
    score: float


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """An answer that used a memory."""

    run_id: str
    thread_id: str
    question: str
    used_at: datetime


@dataclass(frozen=True, slots=True)
class MemoryChange:
    """What became of a memory, and its words before."""

    changed_at: datetime
    change: str
    """edited, or the new status."""
    text: str


class MemoryReply(StrEnum):
    """What a message says to the offer to remember or forget something, or to what was done."""

    YES = "yes"
    REPLACE = "replace"
    """Yes, in place of the older statement."""
    NO = "no"
    UNDO = "undo"
    CORRECT = "correct"
    """It says what the statement should have been: "no wait, he's 23"."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class MemoryRequest:
    """A message that asks to remember something, to forget it, or not to remember what it says."""

    what: str
    """The statement to be kept, or what is to be forgotten, without the words of the request where they are known."""
    forgets: bool = False
    is_certain: bool = False
    """Whether the statement is without the words of the request."""
    is_refused: bool = False
    """Whether what the message says is not to be remembered."""


class AnswerForm(StrEnum):
    """What a preference may ask of the form of answers."""

    SHORTER = "shorter"
    LONGER = "longer"
    ENGLISH = "en"
    SIMPLIFIED_CHINESE = "zh-hans"
    TRADITIONAL_CHINESE = "zh-hant"
    METRIC = "metric"
    IMPERIAL = "imperial"

    @property
    def length(self) -> Length | None:
        return Length(self.value) if self in {AnswerForm.SHORTER, AnswerForm.LONGER} else None

    @property
    def language(self) -> str:
        return "" if self.length or self.units else self.value

    @property
    def units(self) -> Units | None:
        return Units(self.value) if self in {AnswerForm.METRIC, AnswerForm.IMPERIAL} else None


@dataclass(frozen=True, slots=True)
class PreferredForm:
    """A preference that holds for a question."""

    memory_id: str
    """Empty if the question itself states it."""
    form: AnswerForm


def memory_id(base_id: str, words: str) -> str:
    """Another one for each person: two of them may say the same. Empty base_id: of every base."""
    return content_id("memory", base_id, words, *([acting_id()] if acting_id() else []))


def labelled(text: str) -> tuple[str, str]:
    """("Name", "Alex") of "Name: Alex"; no label where there is none."""
    found = _LABELLED.fullmatch(text.strip())
    is_said = found is not None and any(map(str.isalnum, found["value"]))  # not "died last night :("
    return (found["label"].strip(), found["value"].strip()) if found and is_said else ("", text)
