"""The knowledge graph in SQL: entities, their mentions and everything derived from them."""

from collections.abc import Iterator, Sequence

import numpy as np
from sqlalchemy import Connection, Engine, bindparam, distinct, func, select

from core.adapters.sql import entity_lookup
from core.adapters.sql.engine import batches, reading
from core.adapters.sql.rows import to_chunk, to_mention
from core.adapters.sql.schema import chunks, documents, entities, incidences, mentions, relations
from core.adapters.sql.versioned_cache import VersionedCache
from core.domain.documents import Chunk
from core.domain.knowledge import Entity, GraphStats, GraphView, Mention, MentionView, Neighbour, Relation
from core.errors import NotFoundError
from core.kg.cooccurrence import Cooccurrence, Packed
from core.kg.name_meanings import NameMeanings
from core.kg.network import Network, strongest
from core.language.sentences import sentence_spans

MAX_HOPS = 3
_READ_AT_ONCE = 16
"""Documents; their rows are large."""
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


class SqlGraph:
    def __init__(self, engine: Engine, meanings: NameMeanings | None = None) -> None:
        """meanings: None where names are found by their letters alone."""
        self.engine = engine
        self.meanings = meanings
        self.networks = VersionedCache(read_network)
        self.names = VersionedCache(entity_lookup.read_names)
        self.shown_names = VersionedCache(entity_lookup.read_shown_names)

    def stats(self, base_id: str) -> GraphStats:
        """Zeros for a base that does not exist."""
        grouped = select(entities.c.type, func.count(), func.sum(entities.c.mentions)).group_by(entities.c.type)
        ready = select(func.count()).select_from(documents).where(documents.c.ready_at.is_not(None))
        with reading(self.engine) as connection:
            rows = connection.execute(grouped.where(entities.c.base_id == base_id)).tuples().all()
            number = connection.execute(ready.where(documents.c.base_id == base_id)).scalar_one()
            network = self.networks.of(connection, base_id)
        types = sorted(((type, count) for type, count, _ in rows), key=lambda pair: (-pair[1], pair[0]))
        mentioned = sum(row[2] for row in rows)
        return GraphStats(sum(count for _, count in types), mentioned, network.relation_count, number, tuple(types))

    def entity(self, entity_id: str) -> Entity:
        with reading(self.engine) as connection:
            found = entity_lookup.load(connection, [entity_id])
        if not found:
            raise NotFoundError("storage.entity_gone")
        return found[0]

    def search(self, base_id: str, query: str, limit: int, type: str = "") -> list[Entity]:
        """An empty query returns the most mentioned."""
        with reading(self.engine) as connection:
            if wanted := entity_lookup.wanted(query):
                found = self.names.of(connection, base_id).search(wanted, type, limit)
            else:
                found = entity_lookup.most_mentioned(connection, base_id, type, limit)
            return entity_lookup.load(connection, found)

    def alike(self, base_id: str, query: str, limit: int) -> list[Entity]:
        if self.meanings is None:
            return []
        with reading(self.engine) as connection:
            names = self.shown_names.of(connection, base_id)
        nearest = self.meanings.nearest(names, query, limit)
        with reading(self.engine) as connection:
            return entity_lookup.load(connection, nearest)

    def prepare_names(self, base_id: str) -> None:
        """Starts to make what alike() compares, in the background."""
        if self.meanings is not None:
            with reading(self.engine) as connection:
                names = self.shown_names.of(connection, base_id)
            self.meanings.prepare(name for _, name in names)

    def named_in(self, base_id: str, text: str, limit: int) -> list[Entity]:
        with reading(self.engine) as connection:
            return entity_lookup.load(connection, entity_lookup.named_in(connection, base_id, text)[:limit])

    def of_chunks(self, chunk_ids: Sequence[str]) -> dict[str, list[Entity]]:
        """Every requested chunk, with its entities in the order of their first mention."""
        with reading(self.engine) as connection:
            found = _ids_of_chunks(connection, chunk_ids)
            wanted = list(dict.fromkeys(entity_id for ids in found.values() for entity_id in ids))
            known = {entity.id: entity for entity in entity_lookup.load(connection, wanted)}
        return {chunk_id: [known[entity_id] for entity_id in ids] for chunk_id, ids in found.items()}

    def touched(self, base_id: str, text: str, chunk_ids: Sequence[str], limit: int) -> list[str]:
        with reading(self.engine) as connection:
            found = entity_lookup.named_in(connection, base_id, text)
            for ids in _ids_of_chunks(connection, chunk_ids).values():
                found += ids
        return list(dict.fromkeys(found))[:limit]

    def chunks_of(self, entity_ids: Sequence[str], limit: int) -> list[tuple[str, int]]:
        """Enabled chunks only; ties go to chunks that mention the entities more often."""
        wanted = list(dict.fromkeys(entity_ids))[:MOST_ASKED]
        number = func.count(distinct(mentions.c.entity_id))
        statement = (
            select(mentions.c.chunk_id, number)
            .join(chunks, chunks.c.id == mentions.c.chunk_id)
            .where(mentions.c.entity_id.in_(wanted), chunks.c.enabled)
            .group_by(mentions.c.chunk_id)
            .order_by(number.desc(), func.count().desc(), mentions.c.chunk_id)
            .limit(limit)
        )
        with reading(self.engine) as connection:
            return list(connection.execute(statement).tuples())

    def sharing(self, chunk_ids: Sequence[str], most_mentions: int, limit: int) -> list[tuple[str, str, int]]:
        """Enabled chunks only; if two chunks share several entities, the rarest counts."""
        rows: list[tuple[str, str, str]] = []
        with reading(self.engine) as connection:
            for batch in batches(list(dict.fromkeys(chunk_ids))):
                rows += connection.execute(_SHARING, {"asked": batch, "most": most_mentions}).tuples()
        return _rarest(rows)[:limit]

    def neighbours(self, entity_id: str, hops: int, limit: int) -> list[Neighbour]:
        """At most `limit` per hop, nearest hop first, then strongest first; `hops` is clamped to 1..3."""
        found: list[tuple[str, int, float]] = []
        seen, inner = {entity_id}, [entity_id]
        with reading(self.engine) as connection:
            network = self.networks.of(connection, _base_of(connection, entity_id))
            for hop in range(1, _clamped(hops, 1) + 1):
                weights = network.ring(inner, seen)
                inner = strongest(weights)
                seen.update(inner)
                found += [(id, hop, weights[id]) for id in inner[:limit]]
            known = {entity.id: entity for entity in entity_lookup.load(connection, [id for id, _, _ in found])}
        return [Neighbour(known[id], hop, weight) for id, hop, weight in found]

    def view(self, base_id: str, entity_ids: Sequence[str], hops: int, limit: int) -> GraphView:
        """`hops` is clamped to 0..3; 0 shows the given entities and the relations among them."""
        with reading(self.engine) as connection:
            network = self.networks.of(connection, base_id)
            if entity_ids:
                roots = entity_lookup.existing(connection, base_id, entity_ids)
                shown, left_out = network.around(roots, _clamped(hops, 0), limit)
            else:
                shown, left_out = network.centre(limit)
            entities = entity_lookup.load(connection, shown)
        return GraphView(tuple(entities), tuple(network.relations(shown)), left_out)

    def mentions(self, entity_id: str, limit: int) -> list[MentionView]:
        """In document order, then text order."""
        statement = (
            select(mentions, documents.c.name)
            .join(documents, documents.c.id == mentions.c.document_id)
            .where(mentions.c.entity_id == entity_id)
            .order_by(documents.c.added_at, documents.c.id, mentions.c.position)
            .limit(limit)
        )
        with reading(self.engine) as connection:
            rows = connection.execute(statement).mappings().all()
            texts = _chunks(connection, list(dict.fromkeys(row["chunk_id"] for row in rows)))
        return [_view(to_mention(row), row["name"], texts[row["chunk_id"]]) for row in rows]

    def relations_between(self, entity_ids: Sequence[str]) -> list[Relation]:
        """Entities of different bases have none."""
        with reading(self.engine) as connection:
            bases = list(dict.fromkeys(entity.base_id for entity in entity_lookup.load(connection, entity_ids)))
            return [each for base_id in bases for each in self.networks.of(connection, base_id).relations(entity_ids)]

    def all(self, base_id: str) -> Iterator[tuple[Entity, list[Mention]]]:
        ordered = select(entities.c.id).where(entities.c.base_id == base_id).order_by(entities.c.id)
        with reading(self.engine) as connection:
            for batch in batches(connection.execute(ordered).scalars().all()):
                seen = _mentions_of(connection, batch)
                for entity in entity_lookup.load(connection, batch):
                    yield entity, seen.get(entity.id, [])


def _ids_of_chunks(connection: Connection, chunk_ids: Sequence[str]) -> dict[str, list[str]]:
    """Every requested chunk, with its entities in the order of their first mention."""
    found: dict[str, list[str]] = {chunk_id: [] for chunk_id in chunk_ids}
    for batch in batches(list(found)):
        for chunk_id, entity_id in connection.execute(_OF_CHUNKS, {"asked": batch}):
            found[chunk_id].append(entity_id)
    return found


def _rarest(rows: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, int]]:
    """From (entity, chunk, another chunk that mentions it), including a row for the chunk itself."""
    spread: dict[str, set[str]] = {}
    for entity_id, _, other in rows:
        spread.setdefault(entity_id, set()).add(other)
    pairs: dict[tuple[str, str], int] = {}
    for entity_id, chunk_id, other in rows:
        if chunk_id != other:
            known = pairs.get((chunk_id, other), len(spread[entity_id]))
            pairs[chunk_id, other] = min(known, len(spread[entity_id]))
    return sorted(((*pair, number) for pair, number in pairs.items()), key=lambda row: (row[2], row[0], row[1]))


def _clamped(hops: int, least: int) -> int:
    return max(least, min(MAX_HOPS, hops))


def _base_of(connection: Connection, entity_id: str) -> str:
    """Empty for an unknown entity."""
    return connection.execute(select(entities.c.base_id).where(entities.c.id == entity_id)).scalar() or ""


def _mentions_of(connection: Connection, entity_ids: Sequence[str]) -> dict[str, list[Mention]]:
    found: dict[str, list[Mention]] = {}
    statement = (
        select(mentions)
        .where(mentions.c.entity_id.in_(entity_ids))
        .order_by(mentions.c.document_id, mentions.c.position)
    )
    for row in connection.execute(statement).mappings():
        found.setdefault(row["entity_id"], []).append(to_mention(row))
    return found


def _chunks(connection: Connection, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
    found: dict[str, Chunk] = {}
    for batch in batches(chunk_ids):
        for row in connection.execute(select(chunks).where(chunks.c.id.in_(batch))).mappings():
            found[row["id"]] = to_chunk(row)
    return found


def _view(mention: Mention, document_name: str, chunk: Chunk) -> MentionView:
    sentence = _sentence(chunk.text, mention.start, mention.end)
    return MentionView(mention, document_name, sentence, chunk.boxes(mention.start, mention.end))


def _sentence(text: str, start: int, end: int) -> str:
    """The sentence around the characters, or several if they cross a sentence end."""
    around = [span for span in sentence_spans(text) if span[0] < end and span[1] > start]
    return text[around[0][0] : around[-1][1]] if around else text[start:end]


def read_network(connection: Connection, base_id: str) -> Network:
    """One of 100,000 mentions takes about 10 MB."""
    statement = select(incidences).join(documents).where(documents.c.base_id == base_id)
    rows = connection.execute(statement.execution_options(yield_per=_READ_AT_ONCE)).tuples()
    ids: dict[str, str] = {}
    return Network(
        Cooccurrence({document_id: _slim(packed, ids) for document_id, packed in rows}),
        tuple(_stated(connection, base_id)),
    )


def _slim(packed: Packed, ids: dict[str, str]) -> Packed:
    """The same in a quarter of the memory: numbers as arrays, and each id once for all documents."""
    numbers: Packed = {name: np.asarray(packed[name], np.int32) for name in ("sizes", "members", "pages")}  # type: ignore[misc]
    return {**numbers, "entities": [ids.setdefault(id, id) for id in packed["entities"]]}


def _stated(connection: Connection, base_id: str) -> list[Relation]:
    """What several documents state has the pages of all of them and the best weight."""
    found: dict[tuple[str, str, str], Relation] = {}
    statement = select(relations).join(documents).where(documents.c.base_id == base_id)
    for row in connection.execute(statement.order_by(relations.c.document_id, relations.c.position)):
        key = (row.source_id, row.target_id, row.relation)
        known = found.get(key) or Relation(*key, 0.0)
        pages = {*known.pages, *((document_id, page) for document_id, page in row.pages)}
        found[key] = Relation(*key, max(known.weight, row.weight), tuple(sorted(pages)))
    return list(found.values())
