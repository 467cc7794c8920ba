"""When documents came and went and edits were undone: written in the transaction of what happened."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from sqlalchemy import Connection, select

from core.graph.edits import EventKind, GraphEvent
from core.platform.identity import acting_name
from core.platform.sql.compiled_statements import insert_all
from core.platform.sql.engine import ASKED, rows_of
from core.platform.sql.schema import documents, graph_events

_NAMED = select(documents.c.id, documents.c.base_id, documents.c.name).where(documents.c.id.in_(ASKED))


def note(connection: Connection, base_id: str, kind: EventKind, subjects: Iterable[object], at: datetime) -> None:
    common = {"base_id": base_id, "made_at": at, "kind": kind, "actor": acting_name(), "name": ""}
    insert_all(connection, graph_events, [{**common, "subject": str(each)} for each in subjects])


def note_documents(connection: Connection, document_ids: Sequence[str], kind: EventKind, at: datetime) -> None:
    """While the documents are in their table."""
    rest = {"made_at": at, "kind": kind, "actor": acting_name()}
    known = {id: (base_id, name) for id, base_id, name in rows_of(connection, _NAMED, document_ids)}
    rows = [
        {"base_id": known[id][0], "subject": id, "name": known[id][1], **rest} for id in document_ids if id in known
    ]
    insert_all(connection, graph_events, rows)


def note_ready(connection: Connection, base_id: str) -> None:
    """Of a base that came back without its events: each document is there since it became ready."""
    ready = select(documents.c.id, documents.c.name, documents.c.ready_at).where(
        documents.c.base_id == base_id, documents.c.ready_at.is_not(None)
    )
    common = {"base_id": base_id, "kind": EventKind.PUBLISHED, "actor": ""}
    rows = [
        {**common, "subject": id, "name": name, "made_at": at}
        for id, name, at in connection.execute(ready.order_by(documents.c.ready_at, documents.c.id))
    ]
    insert_all(connection, graph_events, rows)


def read(connection: Connection, base_id: str) -> list[GraphEvent]:
    """Events of a base, oldest first."""
    statement = select(graph_events).where(graph_events.c.base_id == base_id).order_by(graph_events.c.position)
    return [
        GraphEvent(EventKind(row["kind"]), row["made_at"], row["subject"], row["actor"], row["name"])
        for row in connection.execute(statement).mappings()
    ]
