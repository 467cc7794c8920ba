"""The audit log in SQL: who did what when, with ids and without contents."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, String, Table, cast, delete, insert, literal, select

from core.platform.clock import Clock, utc_now
from core.platform.identity import SYSTEM, USAGE_DAYS, AuditEntry, acting, acting_as, acting_id
from core.platform.sql.conversation_tables import runs, threads
from core.platform.sql.engine import reading, writing
from core.platform.sql.installation_tables import api_keys, audit
from core.platform.sql.schema import chunks, documents, graph_edits, knowledge_bases

LONGEST = 200
AS_SYSTEM = {"graphtalk_narrowed": True}
"""Execution options of statements of the system: no person may write the log, or read what others did."""
_MOST_OPENED = 10_000
ACTIONS: Mapping[tuple[Table, str], tuple[str, str]] = {
    (knowledge_bases, "insert"): ("base.made", "id"),
    (knowledge_bases, "delete"): ("base.deleted", "id"),
    (documents, "insert"): ("document.added", "id"),
    (documents, "update"): ("document.changed", "id"),
    (documents, "delete"): ("document.deleted", "id"),
    (chunks, "update"): ("document.changed", "document_id"),
    (graph_edits, "insert"): ("graph.edited", "base_id"),
    (api_keys, "insert"): ("key.made", "id"),
    (api_keys, "update"): ("key.revoked", "id"),
    (runs, "insert"): ("base.asked", "base_id"),
}
"""Statements that are noted in their own transaction, with the column that says what it was about."""
REMOVED = "run.removed"
"""No action, and not shown: a removed question, when it was asked, with its tokens and seconds as the target."""


class SqlAudit:
    def __init__(self, engine: Engine, clock: Clock = utc_now) -> None:
        self.engine = engine
        self.clock = clock
        self._opened: set[tuple[date, str, str]] = set()
        """Day, person and base."""

    def note(self, action: str, target: str = "") -> None:
        if acting() in (None, SYSTEM):
            return
        row = {"at": self.clock(), "person_id": acting_id(), "action": action, "target": target[:LONGEST]}
        with acting_as(SYSTEM), writing(self.engine) as connection:
            connection.execute(insert(audit), row)

    def opened(self, base_id: str) -> None:
        seen = self.clock().date(), acting_id(), base_id
        if acting() in (None, SYSTEM) or seen in self._opened:
            return
        owner = select(knowledge_bases.c.owner_id).where(knowledge_bases.c.id == base_id)
        with acting_as(SYSTEM), reading(self.engine) as connection:
            owned_by = connection.execute(owner).scalar()
        if len(self._opened) >= _MOST_OPENED:
            self._opened.clear()
        self._opened.add(seen)
        if owned_by not in (None, acting_id()):
            self.note("base.opened", base_id)

    def forget(self, before: datetime) -> int:
        with acting_as(SYSTEM), writing(self.engine) as connection:
            return connection.execute(delete(audit).where(audit.c.at < before)).rowcount

    def newest(self, limit: int, person_id: str = "") -> list[AuditEntry]:
        wanted = select(audit).where(audit.c.action != REMOVED).order_by(audit.c.position.desc()).limit(limit)
        if person_id:
            wanted = wanted.where(audit.c.person_id == person_id)
        with acting_as(SYSTEM), reading(self.engine) as connection:
            return [AuditEntry(row.at, row.person_id, row.action, row.target) for row in connection.execute(wanted)]


def note(connection: Connection, action: str, target: str) -> None:
    """Notes an action of the acting person, if any, in the transaction of the action."""
    if acting() not in (None, SYSTEM):
        connection.execute(insert(audit), entries(action, [target]), execution_options=AS_SYSTEM)


def note_removed(connection: Connection, removed: ColumnElement[bool]) -> None:
    """Notes questions before they are removed, in that transaction, so that they still count for who asked them.

    removed: condition of the runs.
    """
    of = threads.alias()  # the condition may read threads as well
    spent = cast(runs.c.prompt_tokens + runs.c.completion_tokens, String) + " " + cast(runs.c.seconds, String)
    asked = select(runs.c.started_at, of.c.owner_id, literal(REMOVED), spent).join(of, of.c.id == runs.c.thread_id)
    counted = asked.where(
        removed,
        of.c.owner_id != "",
        runs.c.copied_from == "",
        runs.c.started_at >= utc_now() - timedelta(days=USAGE_DAYS),
    )
    noted = insert(audit).from_select(["at", "person_id", "action", "target"], counted)
    connection.execute(noted, execution_options=AS_SYSTEM)


def removed_since(connection: Connection, person_id: str, since: datetime) -> list[tuple[datetime, int, float]]:
    """When the person asked questions that are removed by now, with the tokens and seconds they took."""
    noted = select(audit.c.at, audit.c.target).where(
        audit.c.person_id == person_id, audit.c.at >= since, audit.c.action == REMOVED
    )
    spent = ((at, *target.partition(" ")[::2]) for at, target in connection.execute(noted).tuples())
    return [(at, int(tokens), float(seconds or 0)) for at, tokens, seconds in spent]


def entries(action: str, targets: Sequence[Any]) -> list[dict[str, Any]]:
    """Rows of the log for the acting person."""
    now = utc_now()
    return [
        {"at": now, "person_id": acting_id(), "action": action, "target": str(target)[:LONGEST]} for target in targets
    ]
