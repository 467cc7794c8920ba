"""Finds entities by where, how surely and since when documents mention them."""

from datetime import datetime

from sqlalchemy import Connection, select

from core.graph.model import MentionFilter
from core.platform.sql.schema import documents, mentions

_OF_BASE = select(mentions.c.entity_id).join(documents, documents.c.id == mentions.c.document_id).distinct()


def found(connection: Connection, base_id: str, where: MentionFilter) -> set[str]:
    """Ids as the documents give them; whether they are new is not looked at."""
    statement = _OF_BASE.where(documents.c.base_id == base_id)
    if where.document:
        statement = statement.where(mentions.c.document_id == where.document)
    if where.first_page:
        statement = statement.where(mentions.c.page >= where.first_page)
    if where.last_page >= 0:
        statement = statement.where(mentions.c.page <= where.last_page)
    if where.confidence:
        statement = statement.where(mentions.c.confidence >= where.confidence)
    return set(connection.execute(statement).scalars())


def known_before(connection: Connection, base_id: str, time: datetime) -> set[str]:
    """What documents that were ready before then mention."""
    earlier = _OF_BASE.where(documents.c.base_id == base_id, documents.c.ready_at < time)
    return set(connection.execute(earlier).scalars())
