"""When documents came and went and edits were undone: written in the transaction of what happened."""

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import Connection, select

from core.adapters.sql.engine import insert_all
from core.adapters.sql.schema import documents, graph_events
from core.domain.graph_edits import EventKind, GraphEvent
from core.domain.people import acting_name


def note(connection: Connection, base_id: str, kind: EventKind, subjects: Iterable[object], at: datetime) -> None:
    common = {"base_id": base_id, "made_at": at, "kind": kind, "actor": acting_name(), "name": ""}
    insert_all(connection, graph_events, [{**common, "subject": str(each)} for each in subjects])


def note_document(connection: Connection, document_id: str, kind: EventKind, at: datetime) -> None:
    """While the document is in its table."""
    named = select(documents.c.base_id, documents.c.name).where(documents.c.id == document_id)
    for base_id, name in connection.execute(named):
        rest = {"subject": document_id, "actor": acting_name(), "name": name}
        insert_all(connection, graph_events, [{"base_id": base_id, "made_at": at, "kind": kind, **rest}])


def read(connection: Connection, base_id: str) -> list[GraphEvent]:
    """Oldest first; of documents that were read before there were events, the time of that is known."""
    statement = select(graph_events).where(graph_events.c.base_id == base_id).order_by(graph_events.c.position)
    noted = [
        GraphEvent(EventKind(row["kind"]), row["made_at"], row["subject"], row["actor"], row["name"])
        for row in connection.execute(statement).mappings()
    ]
    known = {each.subject for each in noted if each.of_document}
    ready = select(documents.c.ready_at, documents.c.id, documents.c.name).order_by(documents.c.ready_at)
    rows = connection.execute(ready.where(documents.c.base_id == base_id, documents.c.ready_at.is_not(None))).tuples()
    older = [GraphEvent(EventKind.PUBLISHED, at, id, name=name) for at, id, name in rows if id not in known]
    return [*older, *noted]
