"""Searches the questions of all chats by meaning; vectors are made on the first search and stored."""

import numpy as np
from sqlalchemy import Engine, delete, insert, select

from core.models.ports import Embedder
from core.platform.sql.conversation_tables import question_vectors, runs, threads
from core.platform.sql.engine import reading, writing
from core.runs.model import RunPurpose

NEWEST = 2_000
"""Number of newest questions searched by meaning; older ones are found by words only."""
_MADE_AT_ONCE = 200
"""Limit of new vectors per search, which keeps the search fast."""


class SqlQuestionSearch:
    def __init__(self, engine: Engine, embedder: Embedder) -> None:
        self.engine = engine
        self.embedder = embedder

    def near(self, query: str, limit: int) -> list[tuple[str, float]]:
        """Raises ServiceError if the embedder fails."""
        if not self.embedder.semantic:
            return []
        self._make_missing()
        found = select(runs.c.thread_id, question_vectors.c.vector).join(runs, runs.c.id == question_vectors.c.run_id)
        visible = found.join(threads, threads.c.id == runs.c.thread_id).where(
            threads.c.deleted_at.is_(None),
            threads.c.purpose == RunPurpose.CHAT.value,
            question_vectors.c.embedder == self.embedder.name,
        )
        with reading(self.engine) as connection:
            rows = connection.execute(visible.order_by(runs.c.position.desc()).limit(NEWEST)).tuples().all()
        if not rows:
            return []
        vectors = np.stack([np.frombuffer(vector, dtype="<f4") for _, vector in rows])
        distances = np.maximum(0.0, 1.0 - vectors @ np.asarray(self.embedder.embed_query(query), dtype=np.float32))
        nearest: dict[str, float] = {}
        for index in np.argsort(distances, kind="stable"):
            nearest.setdefault(rows[index][0], float(distances[index]))
        return list(nearest.items())[:limit]

    def _make_missing(self) -> None:
        """Embeds questions without a vector of this embedder, newest first."""
        name = self.embedder.name
        made = question_vectors.c.embedder == name
        known = select(question_vectors.c.run_id).where(made)
        of_chats = runs.c.thread_id.in_(select(threads.c.id).where(threads.c.purpose == RunPurpose.CHAT.value))
        statement = select(runs.c.id, runs.c.question).where(of_chats, runs.c.id.not_in(known))
        with reading(self.engine) as connection:
            lacking = connection.execute(statement.order_by(runs.c.position.desc()).limit(_MADE_AT_ONCE)).tuples().all()
        if not lacking:
            return
        vectors = self.embedder.embed([question for _, question in lacking])
        rows = [
            {"run_id": run_id, "embedder": name, "vector": np.asarray(vector, dtype="<f4").tobytes()}
            for (run_id, _), vector in zip(lacking, vectors, strict=True)
        ]
        with writing(self.engine, durable=False) as connection:
            ids = [row["run_id"] for row in rows]
            there = select(runs.c.id).where(runs.c.id.in_(ids)).order_by(runs.c.id).with_for_update(key_share=True)
            still = set(connection.execute(there).scalars())
            connection.execute(delete(question_vectors).where(question_vectors.c.run_id.in_(ids)))
            if kept := [row for row in rows if row["run_id"] in still]:
                connection.execute(insert(question_vectors), kept)
