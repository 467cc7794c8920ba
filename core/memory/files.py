"""Export and import of memories as JSON or CSV. Imported files are untrusted."""

import csv
import io
import json
from collections.abc import Iterable, Mapping
from datetime import datetime

from core.memory.model import Memory, MemoryKind, MemoryStatus, memory_id
from core.platform.clock import read_moment
from core.platform.errors import InputError
from core.platform.plain_text import inert, spreadsheet

FIELDS = ("text", "kind", "importance", "status", "created_at", "expires_at", "base", "pinned", "uses")
MAX_MEMORIES = 5_000
MAX_BYTES = 5_000_000
MAX_TEXT = 600


def as_json(memories: Iterable[Memory], bases: Mapping[str, str]) -> str:
    """bases: names by id."""
    return json.dumps([_row(memory, bases) for memory in memories], ensure_ascii=False, indent=2)


def as_csv(memories: Iterable[Memory], bases: Mapping[str, str]) -> str:
    return spreadsheet([FIELDS, *(_row(memory, bases).values() for memory in memories)])


def read_memories(data: bytes, bases: Mapping[str, str], now: datetime) -> list[Memory]:
    """bases: ids by name; a memory of a base that is not there holds everywhere. Raises InputError."""
    if len(data) > MAX_BYTES:
        raise InputError("memory.error.file_large", megabytes=MAX_BYTES // 1_000_000)
    try:
        text = data.decode("utf-8-sig")
        rows = json.loads(text) if text.lstrip().startswith("[") else list(csv.DictReader(io.StringIO(text)))
        if len(rows) > MAX_MEMORIES:
            raise InputError("memory.error.file_long", count=f"{len(rows):,}", limit=f"{MAX_MEMORIES:,}")
        found = [_memory(row, bases, now) for row in rows]
    except (ValueError, TypeError, KeyError, AttributeError, csv.Error, RecursionError) as error:
        raise InputError("memory.error.file", fields=", ".join(FIELDS[:4])) from error
    if not found:
        raise InputError("memory.error.file", fields=", ".join(FIELDS[:4]))
    return found


def _row(memory: Memory, bases: Mapping[str, str]) -> dict[str, object]:
    return {
        "text": memory.text,
        "kind": memory.kind.value,
        "importance": memory.importance,
        "status": memory.status.value,
        "created_at": memory.created_at.isoformat(),
        "expires_at": memory.expires_at.isoformat() if memory.expires_at else "",
        "base": bases.get(memory.base_id, ""),
        "pinned": memory.pinned,
        "uses": memory.uses,
    }


def _memory(row: Mapping[str, object], bases: Mapping[str, str], now: datetime) -> Memory:
    """Only text is needed. Raises ValueError, TypeError or KeyError for what is no memory."""
    words, status = row["text"], MemoryStatus(str(row.get("status") or MemoryStatus.ACTIVE))
    if not isinstance(words, str) or status is MemoryStatus.FORGOTTEN:
        raise TypeError("a memory has words")
    text = " ".join((words[1:] if words == inert(words[1:]) else words).split())
    if not text or len(text) > MAX_TEXT:
        raise ValueError("a memory has words, and not too many")
    base_id = bases.get(str(row.get("base") or ""), "")
    return Memory(
        id=memory_id(base_id, text),
        text=text,
        kind=MemoryKind(str(row.get("kind") or MemoryKind.FACT)),
        importance=min(10, max(1, int(str(row.get("importance") or 5)))),
        confidence=1.0,
        status=status,
        created_at=read_moment(str(created)) if (created := row.get("created_at")) else now,
        last_used_at=now,
        base_id=base_id,
        pinned=str(row.get("pinned")).casefold() == "true",
        expires_at=read_moment(str(expires)) if (expires := row.get("expires_at")) else None,
    )
