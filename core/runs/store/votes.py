"""Votes of the arena in SQL."""

from collections.abc import Sequence

from sqlalchemy import Engine, delete, insert, select

from core.platform.clock import Clock, utc_now
from core.platform.sql.conversation_tables import arena_votes
from core.platform.sql.engine import reading, writing


class SqlVotes:
    def __init__(self, engine: Engine, clock: Clock = utc_now) -> None:
        self.engine = engine
        self.clock = clock

    def vote(self, thread_id: str, workflows: Sequence[str], winner: str) -> None:
        row = {"thread_id": thread_id, "workflows": list(workflows), "winner": winner, "voted_at": self.clock()}
        with writing(self.engine) as connection:
            connection.execute(delete(arena_votes).where(arena_votes.c.thread_id == thread_id))
            connection.execute(insert(arena_votes), row)

    def of_thread(self, thread_id: str) -> str | None:
        with reading(self.engine) as connection:
            found = select(arena_votes.c.winner).where(arena_votes.c.thread_id == thread_id)
            return connection.execute(found).scalar()

    def all(self) -> list[tuple[tuple[str, ...], str]]:
        with reading(self.engine) as connection:
            rows = connection.execute(select(arena_votes.c.workflows, arena_votes.c.winner)).tuples()
            return [(tuple(workflows), winner) for workflows, winner in rows]
