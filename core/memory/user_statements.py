"""Memories in a person's own words."""

from core.memory.files import MAX_TEXT
from core.memory.model import Memory, MemoryKind, MemoryStatus
from core.platform.clock import Clock, utc_now
from core.platform.errors import InputError
from core.platform.ids import content_id


def new_memory(text: str, kind: MemoryKind, importance: int, now: Clock = utc_now) -> Memory:
    """Active, and as sure as can be. Raises InputError for empty or long text."""
    made = now()
    words = checked(text)
    return Memory(
        content_id("memory", words, made.isoformat()), words, kind, importance, 1.0, MemoryStatus.ACTIVE, made, made
    )


def checked(text: str) -> str:
    """On one line. Raises InputError for empty or long text."""
    words = " ".join(text.split())
    if not words or len(words) > MAX_TEXT:
        raise InputError("memory.error.empty", limit=MAX_TEXT)
    return words
