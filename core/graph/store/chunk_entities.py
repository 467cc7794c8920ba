"""The entities that chunks mention and share, and the chunks that mention entities, under the ids that are shown."""

from collections.abc import Sequence

from sqlalchemy import Connection, bindparam, distinct, func, select

from core.graph.store.resolved import ResolvedEntities, chunk_counts, members_of, shared_by_merged
from core.platform.sql.engine import batches
from core.platform.sql.schema import chunks, entities, mentions

MOST_ASKED = 1_000
"""Entities per query for chunks."""
_OWN, _OTHER = mentions.alias("own"), mentions.alias("other")
_SHARING = (
    select(_OWN.c.entity_id, _OWN.c.chunk_id, _OTHER.c.chunk_id)
    .distinct()
    .join(entities, entities.c.id == _OWN.c.entity_id)
    .join(_OTHER, _OTHER.c.entity_id == _OWN.c.entity_id)
    .join(chunks, chunks.c.id == _OTHER.c.chunk_id)
    .where(_OWN.c.chunk_id.in_(bindparam("asked", expanding=True)), chunks.c.enabled)
    .where(entities.c.mentions.between(2, bindparam("most")))
)
_OF_CHUNKS = (
    select(mentions.c.chunk_id, mentions.c.entity_id)
    .where(mentions.c.chunk_id.in_(bindparam("asked", expanding=True)))
    .group_by(mentions.c.chunk_id, mentions.c.entity_id)
    .order_by(func.min(mentions.c.start_offset), mentions.c.entity_id)
)


def ids_of_chunks(connection: Connection, resolved: ResolvedEntities, chunk_ids: Sequence[str]) -> dict[str, list[str]]:
    """Every requested chunk, with its entities in the order of their first mention."""
    found: dict[str, list[str]] = {chunk_id: [] for chunk_id in chunk_ids}
    for batch in batches(list(found)):
        for chunk_id, entity_id in connection.execute(_OF_CHUNKS, {"asked": batch}):
            found[chunk_id].append(entity_id)
    resolution = resolved.resolution_of_chunks(connection, chunk_ids)
    if not resolution.changes_entities:
        return found
    shown = {chunk_id: map(resolution.of, ids) for chunk_id, ids in found.items()}
    return {chunk_id: list(dict.fromkeys(id for id in ids if id)) for chunk_id, ids in shown.items()}


def chunks_of(
    connection: Connection, resolved: ResolvedEntities, entity_ids: Sequence[str], limit: int
) -> list[tuple[str, int]]:
    """Enabled chunks with the number of the entities that they mention, most first."""
    wanted = list(dict.fromkeys(entity_ids))[:MOST_ASKED]
    resolution = resolved.resolution_of(connection, wanted)
    if resolution.changes_entities:
        return chunk_counts(connection, members_of(resolution, wanted))[:limit]
    number = func.count(distinct(mentions.c.entity_id))
    statement = (
        select(mentions.c.chunk_id, number)
        .join(chunks, chunks.c.id == mentions.c.chunk_id)
        .where(mentions.c.entity_id.in_(wanted), chunks.c.enabled)
        .group_by(mentions.c.chunk_id)
        .order_by(number.desc(), func.count().desc(), mentions.c.chunk_id)
        .limit(limit)
    )
    return list(connection.execute(statement).tuples())


def sharing(
    connection: Connection, resolved: ResolvedEntities, chunk_ids: Sequence[str], most_mentions: int
) -> list[tuple[str, str, int]]:
    """Pairs of a requested chunk and another one, with the spread of the rarest entity that they share."""
    rows: list[tuple[str, str, str]] = []
    for batch in batches(list(dict.fromkeys(chunk_ids))):
        rows += connection.execute(_SHARING, {"asked": batch, "most": most_mentions}).all()
    resolution = resolved.resolution_of_chunks(connection, chunk_ids)
    if resolution.changes_entities:
        rows = [row for row in rows if resolution.of(row[0]) == row[0] not in resolution.parts]
    if resolution.parts:
        rows += shared_by_merged(connection, resolution, chunk_ids, most_mentions)
    return _rarest(rows)


def _rarest(rows: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, int]]:
    """Result of rows of (entity, chunk, other chunk that mentions it), which include the chunk itself."""
    spread: dict[str, set[str]] = {}
    for entity_id, _, other in rows:
        spread.setdefault(entity_id, set()).add(other)
    pairs: dict[tuple[str, str], int] = {}
    for entity_id, chunk_id, other in rows:
        if chunk_id != other:
            known = pairs.get((chunk_id, other), len(spread[entity_id]))
            pairs[chunk_id, other] = min(known, len(spread[entity_id]))
    return sorted(((*pair, number) for pair, number in pairs.items()), key=lambda row: (row[2], row[0], row[1]))
