"""The audit log in SQL: who did what when, with ids and without contents."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Engine, Table, insert, select

from core.adapters.sql.engine import reading, writing
from core.adapters.sql.schema import api_keys, audit, documents, graph_edits, knowledge_bases, runs
from core.domain.clock import Clock, utc_now
from core.domain.people import SYSTEM, AuditEntry, acting_as, acting_id

LONGEST = 200
ACTIONS: Mapping[tuple[Table, str], tuple[str, str]] = {
    (knowledge_bases, "insert"): ("base.made", "id"),
    (knowledge_bases, "delete"): ("base.deleted", "id"),
    (documents, "insert"): ("document.added", "id"),
    (documents, "delete"): ("document.deleted", "id"),
    (graph_edits, "insert"): ("graph.edited", "base_id"),
    (api_keys, "insert"): ("key.made", "id"),
    (api_keys, "update"): ("key.changed", "id"),
    (runs, "insert"): ("base.asked", "base_id"),
}
"""Statements that are noted in their own transaction, with the column that says what it was about."""


class SqlAudit:
    def __init__(self, engine: Engine, clock: Clock = utc_now) -> None:
        self.engine = engine
        self.clock = clock

    def note(self, action: str, target: str = "") -> None:
        row = {"at": self.clock(), "person_id": acting_id(), "action": action, "target": target[:LONGEST]}
        with acting_as(SYSTEM), writing(self.engine) as connection:
            connection.execute(insert(audit), row)

    def newest(self, limit: int, person_id: str = "") -> list[AuditEntry]:
        wanted = select(audit).order_by(audit.c.position.desc()).limit(limit)
        if person_id:
            wanted = wanted.where(audit.c.person_id == person_id)
        with acting_as(SYSTEM), reading(self.engine) as connection:
            return [AuditEntry(row.at, row.person_id, row.action, row.target) for row in connection.execute(wanted)]


def entries(action: str, targets: Sequence[Any]) -> list[dict[str, Any]]:
    """As rows; of the person who acts."""
    now = utc_now()
    return [
        {"at": now, "person_id": acting_id(), "action": action, "target": str(target)[:LONGEST]} for target in targets
    ]
