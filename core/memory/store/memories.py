"""Memories in SQL, with their vectors."""

from collections.abc import Collection, Sequence
from dataclasses import fields, replace
from datetime import datetime
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import (
    Connection,
    Engine,
    RowMapping,
    Select,
    bindparam,
    delete,
    exists,
    insert,
    literal,
    select,
    update,
)

from core.documents.store.rows import Row
from core.memory.model import Found, Memory, MemoryChange, MemoryKind, MemoryStatus, MemoryUse, Scope
from core.memory.relevance import found_among
from core.models.ports import Embedder
from core.platform.clock import Clock, utc_now
from core.platform.errors import NotFoundError
from core.platform.sql.columns import UtcTime, normalized
from core.platform.sql.compiled_statements import add_missing
from core.platform.sql.conversation_tables import memories, memory_changes, memory_uses, runs, threads
from core.platform.sql.engine import all_rows, batches, lock_row, reading, writing
from core.platform.sql.schema import documents
from core.search.retrieval.ranking import weight_of_hashed_words, weight_of_sentences

_BLANK = {
    "text": "",
    "text_norm": "",
    "reason": "",
    "status": MemoryStatus.FORGOTTEN.value,
    "thread_id": "",
    "run_id": "",
    "embedder": "",
    "vector": None,
}
"""Values that blank a deleted conclusion; only its id, a digest, is left."""
_FIELDS = tuple(field.name for field in fields(Memory))
"""Fields of a memory, each with a column of its name."""
Stored = RowMapping | dict[str, Any]
"""A row."""
_DERIVED = (memories.c.status == literal(MemoryStatus.PROPOSED.value)) | (
    memories.c.kind == literal(MemoryKind.CONCLUSION.value)
)
"""Condition for memories that were derived from a chat, rather than stated in it."""
_LIVING = (memories.c.status != literal(MemoryStatus.FORGOTTEN.value)) & ~(
    _DERIVED & exists().where(threads.c.id == memories.c.thread_id, threads.c.deleted_at.is_not(None))
)
_READ = tuple(column for column in memories.c if column.name not in {"vector", "text_norm"})
"""Columns that are read; vectors have 2 kB each and are cached separately."""
KEPT = 8_000
"""Vectors, 16 MB."""
_ACTIVE = (
    select(*_READ)
    .where(
        _LIVING,
        memories.c.status == literal(MemoryStatus.ACTIVE.value),
        memories.c.base_id.in_(["", bindparam("base")]),
        memories.c.in_thread_only.is_(False) | (memories.c.thread_id == bindparam("thread")),
        memories.c.expires_at.is_(None) | (memories.c.expires_at > bindparam("now")),
    )
    .order_by(memories.c.position)
)
_NEWEST_FIRST = select(*_READ).where(_LIVING).order_by(memories.c.created_at.desc(), memories.c.position.desc())
"""Built once: every question asks the first twice, every Memory page the other; building takes longer than running."""


class SqlMemoryStore:
    def __init__(self, engine: Engine, embedder: Embedder, clock: Clock = utc_now) -> None:
        self.engine = engine
        self.embedder = embedder
        self.clock = clock
        self.vector_weight = weight_of_sentences if embedder.semantic else weight_of_hashed_words
        self._kept_vectors: dict[str, bytes] = {}
        """Vectors by text."""

    def find(self, status: str = "") -> list[Memory]:
        found = map(self._memory, self._all())
        return [memory for memory in found if status in ("", memory.status)]

    def get(self, memory_id: str) -> Memory:
        for row in self._resting(self._rows(select(*_READ).where(memories.c.id == memory_id, _LIVING))):
            return self._memory(row)
        raise NotFoundError("storage.memory_gone")

    def active(self, scope: Scope) -> list[Memory]:
        return [*map(self._memory, reversed(self._holding(scope)))]

    def search(self, query: str, scope: Scope | None = None) -> list[Found]:
        """Raises ServiceError if the embedder fails."""
        rows = self._holding(scope) if scope else self._all()
        cosines = self._cosines(query, rows).tolist() if rows else []
        return found_among(query, [*map(self._memory, rows)], cosines, self.vector_weight, self.clock())

    def near(self, query: str, limit: int) -> list[tuple[Memory, float]]:
        """Raises ServiceError if the embedder fails."""
        rows = self._all() if self.embedder.semantic else []
        if not rows:
            return []
        distances = np.maximum(0.0, 1.0 - self._cosines(query, rows))
        nearest = np.argsort(distances, kind="stable")[:limit]
        return [(self._memory(rows[index]), float(distances[index])) for index in nearest]

    def alike(self, farthest: float, limit: int) -> list[tuple[Memory, Memory, float]]:
        """Raises ServiceError if the embedder fails."""
        current = memories.c.status.in_([MemoryStatus.ACTIVE.value, MemoryStatus.PROPOSED.value])
        rows = self._resting(self._rows(select(*_READ).where(current, _LIVING).order_by(memories.c.position)))
        if len(rows) < 2:
            return []
        vectors = self._matrix(rows)
        distances = np.maximum(0.0, 1.0 - vectors @ vectors.T)
        distances[np.tril_indices(len(rows))] = np.inf
        firsts, seconds = np.nonzero(distances <= farthest)
        nearest = np.argsort(distances[firsts, seconds], kind="stable")[:limit]
        pairs = [(int(firsts[index]), int(seconds[index])) for index in nearest]
        return [(self._memory(rows[a]), self._memory(rows[b]), float(distances[a, b])) for a, b in pairs]

    def save(self, memory: Memory) -> None:
        """Saves a memory and logs changes of its words or its status."""
        values = _from_memory(memory)
        with writing(self.engine) as connection:
            if add_missing(connection, memories, {**values, "embedder": "", "vector": None}):
                return
            same = memories.c.id == memory.id
            known = connection.execute(select(memories.c.text, memories.c.status).where(same).with_for_update()).first()
            if not known:
                raise NotFoundError("storage.memory_gone")
            if known.text != memory.text:
                values |= {"embedder": "", "vector": None}
            connection.execute(update(memories).where(same).values(**values))
            if known.status == MemoryStatus.FORGOTTEN:
                return
            now, before = self.clock(), (known.text, known.status)
            _note_changes(connection, memory.id, [MemoryChange(now, it, known.text) for it in _changes(before, memory)])

    def changes(self, memory_id: str) -> list[MemoryChange]:
        statement = select(memory_changes).where(memory_changes.c.memory_id == memory_id)
        rows = self._rows(statement.order_by(memory_changes.c.position))
        return [MemoryChange(row["changed_at"], row["change"], row["text"]) for row in rows]

    def uses(self, memory_id: str) -> list[MemoryUse]:
        answers = memory_uses.join(runs, runs.c.id == memory_uses.c.run_id).join(
            threads, threads.c.id == runs.c.thread_id
        )
        asked = select(runs.c.id, runs.c.thread_id, runs.c.question, memory_uses.c.used_at).select_from(answers)
        statement = asked.where(memory_uses.c.memory_id == memory_id, threads.c.deleted_at.is_(None))
        rows = self._rows(statement.order_by(memory_uses.c.used_at.desc()))
        return [MemoryUse(row["id"], row["thread_id"], row["question"], row["used_at"]) for row in rows]

    def restore(self, memory: Memory, changes: Sequence[MemoryChange], uses: Sequence[MemoryUse]) -> None:
        self.save(memory)
        with writing(self.engine) as connection:
            if lock_row(connection, memories, memory.id):
                _note_changes(connection, memory.id, changes)
                for use in uses:
                    _note_uses(connection, [memory.id], use.run_id, use.used_at)

    def touch(self, memory_ids: Sequence[str], run_id: str = "") -> None:
        now = self.clock()
        used = {"last_used_at": now, "uses": memories.c.uses + 1}
        with writing(self.engine) as connection:
            _lock(connection, memory_ids)
            for batch in batches(list(memory_ids)):
                connection.execute(update(memories).where(memories.c.id.in_(batch)).values(**used))
            if run_id:
                _note_uses(connection, memory_ids, run_id, now)

    def delete(self, memory_id: str) -> None:
        gone = [memory_id, *(memory.id for memory in self.superseded_by(memory_id))]
        with writing(self.engine) as connection:
            _lock(connection, gone)
            for batch in batches(gone):
                there = memories.c.id.in_(batch)
                concluded = there & (memories.c.kind == MemoryKind.CONCLUSION.value)
                connection.execute(update(memories).where(concluded).values(**_BLANK))
                connection.execute(delete(memories).where(there, memories.c.kind != MemoryKind.CONCLUSION.value))
                connection.execute(delete(memory_changes).where(memory_changes.c.memory_id.in_(batch)))
                connection.execute(delete(memory_uses).where(memory_uses.c.memory_id.in_(batch)))

    def was_deleted(self, memory_id: str) -> bool:
        forgotten = memories.c.status == MemoryStatus.FORGOTTEN.value
        return bool(self._rows(select(*_READ).where(memories.c.id == memory_id, forgotten)))

    def superseded_by(self, memory_id: str) -> list[Memory]:
        found: dict[str, Memory] = {}
        wanted = [memory_id]
        while wanted:
            of = memories.c.superseded_by.in_(wanted) & memories.c.id.not_in([memory_id, *found])
            new = [*map(self._memory, self._rows(select(*_READ).where(of).order_by(memories.c.position)))]
            found |= {memory.id: memory for memory in new}
            wanted = [memory.id for memory in new]
        return [*found.values()]

    def of_documents(self, document_ids: Sequence[str]) -> list[Memory]:
        rows = self._all()
        cited = self._cited(rows)
        return [self._memory(row) for row in rows if not cited.get(row["id"], set()).isdisjoint(document_ids)]

    def _all(self) -> Sequence[Stored]:
        """Newest first."""
        return self._resting(self._rows(_NEWEST_FIRST))

    def _resting(self, rows: Sequence[Stored]) -> Sequence[Stored]:
        """Rows without conclusions from documents that were deleted, also where one was added again since."""
        cited = self._cited(rows)
        wanted = sorted(set().union(*cited.values()))
        if not wanted:
            return rows
        added: dict[str, datetime] = {}
        for batch in batches(wanted):
            there = select(documents.c.id, documents.c.added_at).where(documents.c.id.in_(batch))
            added |= {row["id"]: row["added_at"] for row in self._rows(there)}
        return [
            row
            for row in rows
            if all(id in added and added[id] <= row["created_at"] for id in cited.get(row["id"], ()))
        ]

    def _cited(self, rows: Sequence[Stored]) -> dict[str, set[str]]:
        """Ids of the documents that conclusions cite, by the ids of the conclusions."""
        concluded = {row["id"]: row["run_id"] for row in rows if row["kind"] == MemoryKind.CONCLUSION and row["run_id"]}
        cited: dict[str, set[str]] = {}
        for batch in batches(sorted(set(concluded.values()))):
            for run in self._rows(select(runs.c.id, runs.c.citations).where(runs.c.id.in_(batch))):
                cited[run["id"]] = {found["document_id"] for found in run["citations"] if found.get("document_id")}
        return {id: cited[run_id] for id, run_id in concluded.items() if run_id in cited}

    def _holding(self, scope: Scope) -> Sequence[Stored]:
        """Oldest first."""
        return self._resting(
            all_rows(self.engine, _ACTIVE, base=scope.base_id, thread=scope.thread_id, now=self.clock())
        )

    def _cosines(self, query: str, rows: Sequence[Stored]) -> NDArray[np.float32]:
        return self._matrix(rows) @ np.asarray(self.embedder.embed_query(query), dtype=np.float32)

    def _rows(self, statement: Select[*tuple[object, ...]]) -> Sequence[RowMapping]:
        with reading(self.engine) as connection:
            return connection.execute(statement).mappings().all()

    def _memory(self, row: Stored) -> Memory:
        memory = _to_memory(row)
        if memory.status is MemoryStatus.ACTIVE and memory.expires_at and memory.expires_at <= self.clock():
            return replace(memory, status=MemoryStatus.EXPIRED)
        return memory

    def _matrix(self, rows: Sequence[Stored]) -> NDArray[np.float32]:
        return np.frombuffer(b"".join(self._vectors(rows)), dtype="<f4").reshape(len(rows), -1)

    def _vectors(self, rows: Sequence[Stored]) -> list[bytes]:
        """One per row; missing ones and those of another embedder are computed and stored."""
        name = self.embedder.name
        known = self._kept_vectors if len(self._kept_vectors) < KEPT else {}
        stale = [row for row in rows if row["embedder"] != name]
        made = {row["text"]: vector for row, vector in zip(stale, self._embed(stale), strict=True)}
        if made:
            with writing(self.engine) as connection:
                for row in sorted(stale, key=itemgetter("id")):  # in the order of _lock()
                    unchanged = (memories.c.id == row["id"]) & (memories.c.text == row["text"])
                    values = {"embedder": name, "vector": made[row["text"]]}
                    connection.execute(update(memories).where(unchanged).values(**values))
        known |= made
        unread = [row["id"] for row in rows if row["text"] not in known]
        for batch in batches(unread):
            stored = select(memories.c.text, memories.c.vector).where(memories.c.id.in_(batch))
            known |= {row["text"]: row["vector"] for row in self._rows(stored)}
        self._kept_vectors = known
        return [known[row["text"]] for row in rows]

    def _embed(self, rows: Sequence[Stored]) -> list[bytes]:
        vectors = self.embedder.embed([row["text"] for row in rows]) if rows else []
        return [np.asarray(vector, dtype="<f4").tobytes() for vector in vectors]


def _lock(connection: Connection, memory_ids: Collection[str]) -> None:
    """In one order: on Postgres two processes that lock them in orders of their own wait for each other."""
    for batch in batches(sorted(memory_ids)):
        those = select(memories.c.id).where(memories.c.id.in_(batch)).order_by(memories.c.id)
        connection.execute(those.with_for_update()).all()


def _note_changes(connection: Connection, memory_id: str, changes: Sequence[MemoryChange]) -> None:
    for one in changes:
        row = {"memory_id": memory_id, "changed_at": one.changed_at, "change": one.change, "text": one.text}
        connection.execute(insert(memory_changes), row)


def _note_uses(connection: Connection, memory_ids: Sequence[str], run_id: str, now: datetime) -> None:
    """Notes uses of memories that still exist, by an answer that still exists."""
    if not lock_row(connection, runs, run_id):
        return
    connection.execute(
        delete(memory_uses).where(memory_uses.c.run_id == run_id, memory_uses.c.memory_id.in_(memory_ids))
    )
    used = select(memories.c.id, literal(run_id), literal(now, UtcTime)).where(memories.c.id.in_(memory_ids))
    connection.execute(insert(memory_uses).from_select(["memory_id", "run_id", "used_at"], used))


def _changes(before: tuple[str, str], memory: Memory) -> list[str]:
    text, status = before
    changed = [] if status == memory.status.value else [memory.status.value]
    return [*(["edited"] if text != memory.text else []), *changed]


def _from_memory(memory: Memory) -> Row:
    return {**{name: getattr(memory, name) for name in _FIELDS}, "text_norm": normalized(memory.text)}


def _to_memory(row: Stored) -> Memory:
    kind, status = MemoryKind(row["kind"]), MemoryStatus(row["status"])
    return Memory(**{**{name: row[name] for name in _FIELDS}, "kind": kind, "status": status})
