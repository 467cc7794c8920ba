"""Memories in SQL, with their vectors beside them."""

import re
from collections.abc import Sequence

import numpy as np
from sqlalchemy import Engine, RowMapping, Select, delete, insert, select, update

from core.adapters.sql.columns import normalized
from core.adapters.sql.engine import batches, reading, writing
from core.adapters.sql.rows import Row
from core.adapters.sql.schema import memories
from core.domain.clock import Clock, utc_now
from core.domain.memories import Memory, MemoryKind, MemoryStatus
from core.errors import NotFoundError
from core.language.scripts import HAN, KANA, UNSPACED
from core.ports.models import Embedder

_ANYWHERE = re.compile(f"[{UNSPACED}]")
"""Scripts without spaces, whose words are found inside a run of characters."""


class SqlMemoryStore:
    def __init__(self, engine: Engine, embedder: Embedder, clock: Clock = utc_now) -> None:
        self.engine = engine
        self.embedder = embedder
        self.clock = clock

    def find(self, query: str = "", status: str = "") -> list[Memory]:
        """Every word of the query is a prefix of a word in the memory."""
        words = normalized(query).split()
        statement = select(memories).order_by(memories.c.created_at.desc(), memories.c.position.desc())
        if status:
            statement = statement.where(memories.c.status == status)
        for word in words:
            statement = statement.where(memories.c.text_norm.contains(word, autoescape=True))
        return [_to_memory(row) for row in self._rows(statement) if all(_begins_word(word, row) for word in words)]

    def get(self, memory_id: str) -> Memory:
        for row in self._rows(select(memories).where(memories.c.id == memory_id)):
            return _to_memory(row)
        raise NotFoundError("storage.memory_gone")

    def candidates(self, query: str, base_id: str, limit: int) -> list[tuple[Memory, float]]:
        """Memories of the base and of no base, and preferences of any base, with their cosine distance.

        Raises ServiceError if the embedder fails.
        """
        preference = memories.c.kind == MemoryKind.PREFERENCE.value
        in_scope = memories.c.base_id.in_(["", base_id]) | preference
        active = memories.c.status == MemoryStatus.ACTIVE.value
        rows = self._rows(select(memories).where(active, in_scope).order_by(memories.c.position))
        if not rows:
            return []
        vectors = np.stack([np.frombuffer(vector, dtype="<f4") for vector in self._vectors(rows)])
        asked = np.asarray(self.embedder.embed_query(query), dtype=np.float32)
        distances = np.maximum(0.0, 1.0 - vectors @ asked)
        nearest = np.argsort(distances, kind="stable")[:limit]
        return [(_to_memory(rows[index]), float(distances[index])) for index in nearest]

    def save(self, memory: Memory) -> None:
        values = _from_memory(memory)
        with writing(self.engine) as connection:
            same = memories.c.id == memory.id
            known = connection.execute(select(memories.c.text).where(same)).first()
            if known and known.text == memory.text:
                connection.execute(update(memories).where(same).values(**values))
            elif known:
                connection.execute(update(memories).where(same).values(**values, embedder="", vector=None))
            else:
                connection.execute(insert(memories).values(**values, embedder="", vector=None))

    def touch(self, memory_ids: Sequence[str]) -> None:
        used = {"last_used_at": self.clock(), "uses": memories.c.uses + 1}
        with writing(self.engine) as connection:
            for batch in batches(list(memory_ids)):
                connection.execute(update(memories).where(memories.c.id.in_(batch)).values(**used))

    def delete(self, memory_id: str) -> None:
        with writing(self.engine) as connection:
            connection.execute(delete(memories).where(memories.c.id == memory_id))

    def _rows(self, statement: Select[*tuple[object, ...]]) -> Sequence[RowMapping]:
        with reading(self.engine) as connection:
            return connection.execute(statement).mappings().all()

    def _vectors(self, rows: Sequence[RowMapping]) -> list[bytes]:
        """One per row; missing ones and those of another embedder are computed and stored."""
        name = self.embedder.name
        stale = [row for row in rows if row["embedder"] != name]
        made = {row["id"]: vector for row, vector in zip(stale, self._embed(stale), strict=True)}
        if made:
            with writing(self.engine) as connection:
                for row in stale:
                    unchanged = (memories.c.id == row["id"]) & (memories.c.text == row["text"])
                    values = {"embedder": name, "vector": made[row["id"]]}
                    connection.execute(update(memories).where(unchanged).values(**values))
        return [made.get(row["id"], row["vector"]) for row in rows]

    def _embed(self, rows: Sequence[RowMapping]) -> list[bytes]:
        vectors = self.embedder.embed([row["text"] for row in rows]) if rows else []
        return [np.asarray(vector, dtype="<f4").tobytes() for vector in vectors]


def _begins_word(word: str, row: RowMapping) -> bool:
    if _ANYWHERE.search(word):
        return True
    return re.search(rf"(?<!\w){re.escape(word)}|(?<=[{KANA}{HAN}]){re.escape(word)}", row["text_norm"]) is not None


def _from_memory(memory: Memory) -> Row:
    return {
        "id": memory.id,
        "text": memory.text,
        "text_norm": normalized(memory.text),
        "kind": memory.kind.value,
        "importance": memory.importance,
        "confidence": memory.confidence,
        "status": memory.status.value,
        "created_at": memory.created_at,
        "last_used_at": memory.last_used_at,
        "base_id": memory.base_id,
        "index_version": memory.index_version,
        "thread_id": memory.thread_id,
        "run_id": memory.run_id,
        "uses": memory.uses,
        "pinned": memory.pinned,
    }


def _to_memory(row: RowMapping) -> Memory:
    return Memory(
        id=row["id"],
        text=row["text"],
        kind=MemoryKind(row["kind"]),
        importance=row["importance"],
        confidence=row["confidence"],
        status=MemoryStatus(row["status"]),
        created_at=row["created_at"],
        last_used_at=row["last_used_at"],
        base_id=row["base_id"],
        index_version=row["index_version"],
        thread_id=row["thread_id"],
        run_id=row["run_id"],
        uses=row["uses"],
        pinned=row["pinned"],
    )
