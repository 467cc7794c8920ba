"""What the product remembers from past turns."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class MemoryKind(StrEnum):
    FACT = "fact"
    PREFERENCE = "preference"
    CONCLUSION = "conclusion"


class MemoryStatus(StrEnum):
    PROPOSED = "proposed"
    ACTIVE = "active"
    EXPIRED = "expired"


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
