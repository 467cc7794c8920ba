"""Values that tests of nodes and workflows share."""

from dataclasses import replace
from datetime import UTC, datetime

from core.documents.model import Chunk, Span
from core.memory.model import Memory, MemoryKind, MemoryStatus

NOW = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
BASE = "base"


def chunk_of(document_id: str, index: int, text: str, section: tuple[str, ...] = (), page: int = 0) -> Chunk:
    """One span and one box over the whole text."""
    box = (100, 100 + 10 * index, 900, 140 + 10 * index)
    span = Span(0, len(text), index, page, box)
    return Chunk(f"{document_id}-{index}", document_id, index, text, section, (span,))


def memory_of(text: str, kind: MemoryKind = MemoryKind.FACT, **changes: object) -> Memory:
    made = Memory(f"m-{text}", text, kind, 5, 1.0, MemoryStatus.ACTIVE, NOW, NOW)
    return replace(made, **changes)  # type: ignore[arg-type]  # fields of Memory
