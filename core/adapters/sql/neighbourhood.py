"""Which entities stand near which, and their relations, read from the mentions: no pair is stored.

Work is bounded: of a hub's chunks those with the fewest entities count, because they give the greatest weights.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from sqlalchemy import Connection, select

from core.adapters.sql.batches import batches
from core.adapters.sql.schema import chunks, documents, mentions
from core.adapters.sql.schema import relations as stated_relations
from core.domain.knowledge import Relation
from core.kg import cooccurrence
from core.kg.cooccurrence import SharedChunk

HOP_CHUNKS = 2_000
"""Chunks looked at for one hop."""
HUB_CHUNKS = 500
"""Chunks of one entity that count for the relations of a view."""


def ring(connection: Connection, inner: Sequence[str], seen: Collection[str]) -> dict[str, float]:
    """Entities one step further out than the inner ones, with their weights; inner ones are asked strongest first."""
    peers = _chunks_around(connection, inner)
    members = _members(connection, list(peers))
    shared = [SharedChunk(tuple(members[chunk_id]), number) for chunk_id, number in peers.items()]
    weights = cooccurrence.ring(shared, frozenset(inner), seen)
    for relation in _stated(connection, inner):
        for entity_id in (relation.source_id, relation.target_id):
            if entity_id not in seen:
                weights[entity_id] = weights.get(entity_id, 0.0) + relation.weight
    return weights


def relations_among(connection: Connection, entity_ids: Iterable[str]) -> list[Relation]:
    """Derived and stated relations between the entities, strongest first."""
    wanted = frozenset(entity_ids)
    derived = cooccurrence.relations(_shared_by(connection, sorted(wanted)))
    inside = [r for r in _stated(connection, sorted(wanted)) if r.source_id in wanted and r.target_id in wanted]
    return sorted(derived + inside, key=lambda r: (-r.weight, r.source_id, r.target_id, r.relation))


def _chunks_around(connection: Connection, entity_ids: Sequence[str]) -> dict[str, int]:
    """Chunk ids with their number of entities."""
    found: dict[str, int] = {}
    for batch in batches(entity_ids):
        statement = (
            select(mentions.c.chunk_id, mentions.c.peers)
            .where(mentions.c.entity_id.in_(batch), mentions.c.peers > 1)
            .distinct()
            .order_by(mentions.c.peers, mentions.c.chunk_id)
            .limit(HOP_CHUNKS - len(found))
        )
        found.update(connection.execute(statement).tuples())
        if len(found) >= HOP_CHUNKS:
            break
    return found


def _members(connection: Connection, chunk_ids: Sequence[str]) -> dict[str, list[str]]:
    found: defaultdict[str, list[str]] = defaultdict(list)
    for batch in batches(chunk_ids):
        statement = select(mentions.c.chunk_id, mentions.c.entity_id).where(mentions.c.chunk_id.in_(batch)).distinct()
        for chunk_id, entity_id in connection.execute(statement):
            found[chunk_id].append(entity_id)
    return found


def _shared_by(connection: Connection, entity_ids: Sequence[str]) -> list[SharedChunk]:
    """Chunks that hold two or more of the entities."""
    members: defaultdict[str, list[str]] = defaultdict(list)
    peers: dict[str, int] = {}
    for entity_id in entity_ids:
        statement = (
            select(mentions.c.chunk_id, mentions.c.peers)
            .where(mentions.c.entity_id == entity_id, mentions.c.peers > 1)
            .distinct()
            .order_by(mentions.c.peers, mentions.c.chunk_id)
            .limit(HUB_CHUNKS)
        )
        for chunk_id, number in connection.execute(statement):
            members[chunk_id].append(entity_id)
            peers[chunk_id] = number
    shared = sorted(chunk_id for chunk_id, ids in members.items() if len(ids) > 1)
    places = _places(connection, shared)
    return [SharedChunk(tuple(members[id]), peers[id], *places[id]) for id in shared]


def _places(connection: Connection, chunk_ids: Sequence[str]) -> dict[str, tuple[str, int]]:
    found: dict[str, tuple[str, int]] = {}
    for batch in batches(chunk_ids):
        statement = select(chunks.c.id, chunks.c.document_id, chunks.c.page).where(chunks.c.id.in_(batch))
        found.update((id, (document_id, page)) for id, document_id, page in connection.execute(statement))
    return found


def _stated(connection: Connection, entity_ids: Sequence[str]) -> list[Relation]:
    """Relations that touch the entities; one that several documents state has the pages of all and the best weight."""
    found: dict[tuple[str, str, str], Relation] = {}
    columns = stated_relations.c
    for batch in batches(entity_ids):
        touching = columns.source_id.in_(batch) | columns.target_id.in_(batch)
        statement = select(stated_relations).where(touching).order_by(columns.document_id, columns.position)
        for row in connection.execute(statement):
            key = (row.source_id, row.target_id, row.relation)
            pages = {(document_id, page) for document_id, page in row.pages}
            known = found.get(key)
            if known:
                pages |= set(known.pages)
            weight = max(row.weight, known.weight if known else 0.0)
            found[key] = Relation(*key, weight, tuple(sorted(pages)))
    return list(found.values())


def groups(connection: Connection, base_id: str) -> list[list[int]]:
    """The entities of every chunk of a base, as numbers."""
    statement = (
        select(mentions.c.chunk_id, mentions.c.entity_id)
        .join(documents, documents.c.id == mentions.c.document_id)
        .where(documents.c.base_id == base_id, mentions.c.peers > 1)
        .distinct()
    )
    numbers: dict[str, int] = {}
    found: defaultdict[str, list[int]] = defaultdict(list)
    for chunk_id, entity_id in connection.execute(statement):
        found[chunk_id].append(numbers.setdefault(entity_id, len(numbers)))
    return list(found.values())
