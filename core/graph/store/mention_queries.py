"""Reads mentions with sentences and boxes, for the side panel, and entities by where and when they are mentioned."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, bindparam, select

from core.documents.model import Chunk
from core.documents.store.rows import MENTION, mention_of, to_chunk, to_mention
from core.graph.model import Mention, MentionFilter, MentionView
from core.platform.language.sentences import sentence_spans
from core.platform.sql.engine import batches
from core.platform.sql.schema import chunks, documents, mentions

_OF_ENTITIES = (
    select(*(mentions.c[name] for name in MENTION))
    .where(mentions.c.entity_id.in_(bindparam("asked", expanding=True)))
    .order_by(mentions.c.document_id, mentions.c.position)
)
"""Read as tuples, because an export reads every mention of a base."""
_OF_BASE = select(mentions.c.entity_id).join(documents, documents.c.id == mentions.c.document_id).distinct()


def views(connection: Connection, shown_as: Mapping[str, str], limit: int) -> list[MentionView]:
    """Mentions of the shown entities, in document order, then text order."""
    statement = (
        select(mentions, documents.c.name)
        .join(documents, documents.c.id == mentions.c.document_id)
        .where(mentions.c.entity_id.in_(list(shown_as)))
        .order_by(documents.c.added_at, documents.c.id, mentions.c.position)
        .limit(limit)
    )
    rows = connection.execute(statement).mappings().all()
    texts = _chunks(connection, list(dict.fromkeys(row["chunk_id"] for row in rows)))
    return [
        _view(replace(to_mention(row), entity_id=shown_as[row["entity_id"]]), row["name"], texts[row["chunk_id"]])
        for row in rows
    ]


def of_entities(connection: Connection, shown_as: Mapping[str, str]) -> dict[str, list[Mention]]:
    """Mentions by the shown entity, in document order, then text order."""
    found: dict[str, list[Mention]] = {}
    for batch in batches(list(shown_as)):
        for id, entity_id, *rest in connection.execute(_OF_ENTITIES, {"asked": batch}):
            shown = shown_as[entity_id]
            found.setdefault(shown, []).append(mention_of((id, shown, *rest)))
    return found


def documents_of(connection: Connection, shown_as: Mapping[str, str]) -> dict[str, set[str]]:
    """Ids of the documents that mention them, by the shown entity."""
    found: dict[str, set[str]] = {}
    given = select(mentions.c.entity_id, mentions.c.document_id).distinct()
    for batch in batches(list(shown_as)):
        for entity_id, document_id in connection.execute(given.where(mentions.c.entity_id.in_(batch))):
            found.setdefault(shown_as[entity_id], set()).add(document_id)
    return found


def _chunks(connection: Connection, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
    found: dict[str, Chunk] = {}
    for batch in batches(chunk_ids):
        for row in connection.execute(select(chunks).where(chunks.c.id.in_(batch))).mappings():
            found[row["id"]] = to_chunk(row)
    return found


def _view(mention: Mention, document_name: str, chunk: Chunk) -> MentionView:
    sentence = _sentence(chunk.text, mention.start, mention.end)
    return MentionView(mention, document_name, sentence, chunk.boxes(mention.start, mention.end), chunk.enabled)


def _sentence(text: str, start: int, end: int) -> str:
    """The sentence around the characters, or several if they cross a sentence end."""
    around = [span for span in sentence_spans(text) if span[0] < end and span[1] > start]
    return text[around[0][0] : around[-1][1]] if around else text[start:end]


def found(connection: Connection, base_id: str, where: MentionFilter) -> set[str]:
    """Ids of entities as the documents give them; `since` is ignored."""
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
    """Ids of entities that documents ready before then mention."""
    earlier = _OF_BASE.where(documents.c.base_id == base_id, documents.c.ready_at < time)
    return set(connection.execute(earlier).scalars())
