"""The knowledge graph in SQL: entities, their mentions and everything derived from them."""

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path

from sqlalchemy import Connection, Engine, func, select

from core.graph.model import (
    Entity,
    GraphStats,
    GraphView,
    Mention,
    MentionFilter,
    MentionView,
    Neighbour,
    Relation,
)
from core.graph.names.name_meanings import NameMeanings
from core.graph.network.network import Network
from core.graph.resolution.resolution import NOTHING
from core.graph.store import entity_lookup, mention_queries, networks
from core.graph.store.incidence_cache import IncidenceCache
from core.graph.store.resolved import KnownEntities, ResolvedEntities, chunk_counts, documents_of, members_of
from core.platform.errors import NotFoundError
from core.platform.sql.engine import batches, reading
from core.platform.sql.schema import documents, entities
from core.platform.sql.versioned_cache import OF_GRAPH, VersionedCache

MAX_HOPS = 3


class SqlGraph:
    def __init__(self, engine: Engine, meanings: NameMeanings | None = None, folder: Path | None = None) -> None:
        """meanings: None where names are found by their letters alone; folder: where is kept what the next process
        need not read again."""
        self.engine = engine
        self.meanings = meanings
        self.entities = ResolvedEntities()
        kept = IncidenceCache(folder) if folder else None
        self._found_networks = VersionedCache(partial(networks.read_network, kept=kept))
        self.networks = VersionedCache(self._read_network, OF_GRAPH)
        self._file_orders = VersionedCache(mention_queries.read_file_order)
        self._stats = VersionedCache(self._read_stats, OF_GRAPH)
        self._known = VersionedCache(self._nothing_known, OF_GRAPH)

    def stats(self, base_id: str) -> GraphStats:
        """Zeros for a base that does not exist."""
        with reading(self.engine) as connection:
            return self._stats.of(connection, base_id)

    def _read_stats(self, connection: Connection, base_id: str) -> GraphStats:
        counts = self.entities.type_counts(connection, base_id)
        network = self.networks.of(connection, base_id)
        ready = select(func.count()).select_from(documents).where(documents.c.ready_at.is_not(None))
        number = connection.execute(ready.where(documents.c.base_id == base_id)).scalar_one()
        types = sorted(((type, count) for type, (count, _) in counts.items()), key=lambda pair: (-pair[1], pair[0]))
        mentioned = sum(number for _, number in counts.values())
        return GraphStats(sum(count for _, count in types), mentioned, network.relation_count, number, tuple(types))

    def entity(self, entity_id: str) -> Entity:
        with reading(self.engine) as connection:
            found = self._load(connection, [entity_id])
        if not found:
            raise NotFoundError("storage.entity_gone")
        return found[0]

    def search(self, base_id: str, query: str, limit: int, type: str = "") -> list[Entity]:
        """An empty query returns the most mentioned."""
        with reading(self.engine) as connection:
            known = self._known.of(connection, base_id)
            if entity_lookup.wanted(query):
                return known.search(connection, query, type, limit)
            return known.load(connection, known.most_mentioned(connection, type, limit))

    def alike(self, base_id: str, query: str, limit: int, any_script: bool = False) -> list[Entity]:
        if self.meanings is None:
            return []
        nearest = self.meanings.nearest(self._shown_names(base_id), query, limit, any_script)
        with reading(self.engine) as connection:
            return self._load(connection, nearest)

    def counterparts(self, base_id: str, least: float) -> list[tuple[Entity, Entity, float]]:
        if self.meanings is None:
            return []
        pairs = self.meanings.counterparts(self._shown_names(base_id), least)
        with reading(self.engine) as connection:
            known = {each.id: each for each in self._load(connection, [id for pair in pairs for id in pair[:2]])}
        return [(known[one], known[other], cosine) for one, other, cosine in pairs if {one, other} <= known.keys()]

    def documents_of(self, entity_ids: Sequence[str]) -> dict[str, set[str]]:
        with reading(self.engine) as connection:
            shown_as = members_of(self.entities.resolution_of(connection, entity_ids), entity_ids)
            return documents_of(connection, shown_as)

    def prepare_names(self, base_id: str) -> None:
        """Starts to make what alike() compares, in the background."""
        if self.meanings is not None:
            self.meanings.prepare(name for _, name in self._shown_names(base_id))

    def _shown_names(self, base_id: str) -> list[tuple[str, str]]:
        with reading(self.engine) as connection:
            return self.entities.shown_names.of(connection, base_id)

    def named_in(self, base_id: str, text: str, limit: int) -> list[Entity]:
        with reading(self.engine) as connection:
            known = self._known.of(connection, base_id)
            return known.load(connection, known.named_in(connection, text)[:limit])

    def of_chunks(self, chunk_ids: Sequence[str]) -> dict[str, list[Entity]]:
        """Every requested chunk, with its entities in the order of their first mention."""
        with reading(self.engine) as connection:
            found = mention_queries.ids_of_chunks(connection, self.entities, chunk_ids)
            wanted = list(dict.fromkeys(entity_id for ids in found.values() for entity_id in ids))
            known = {entity.id: entity for entity in self._load(connection, wanted)}
        return {chunk_id: [known[entity_id] for entity_id in ids] for chunk_id, ids in found.items()}

    def mentioned_in(self, base_id: str, chunk_ids: Sequence[str]) -> dict[str, list[Entity]]:
        with reading(self.engine) as connection:
            known = self._known.of(connection, base_id)
            found = known.by_chunk
            if missing := [chunk_id for chunk_id in chunk_ids if chunk_id not in found]:
                found = known.with_chunks(mention_queries.ids_of_chunks(connection, self.entities, missing))
            return {chunk_id: known.load(connection, found[chunk_id]) for chunk_id in chunk_ids}

    def touched(self, base_id: str, text: str, chunk_ids: Sequence[str], limit: int) -> list[str]:
        with reading(self.engine) as connection:
            found = self._known.of(connection, base_id).named_in(connection, text)
            if len(found) < limit and chunk_ids:
                for ids in mention_queries.ids_of_chunks(connection, self.entities, chunk_ids).values():
                    found += ids
        return list(dict.fromkeys(found))[:limit]

    def chunks_of(self, entity_ids: Sequence[str], limit: int) -> list[tuple[str, int]]:
        """Enabled chunks only; ties go to chunks that mention the entities more often."""
        with reading(self.engine) as connection:
            return mention_queries.chunks_of(connection, self.entities, entity_ids, limit)

    def shared_chunks(self, entity_id: str, other_id: str, limit: int, unused: bool = False) -> list[str]:
        with reading(self.engine) as connection:
            resolution = self.entities.resolution_of(connection, [entity_id, other_id])
            counted = chunk_counts(connection, members_of(resolution, [entity_id, other_id]), unused)
            pair = sorted([resolution.of(entity_id), resolution.of(other_id)])
            both = [chunk_id for chunk_id, number in counted if number > 1]
            both = [chunk_id for chunk_id in both if (chunk_id, *pair) not in resolution.rejected]
            base_id = _base_of(connection, entity_id)
            if both and self._file_orders.of(connection, base_id):
                relations = self.networks.of(connection, base_id).relations(pair)
                both = mention_queries.connecting(connection, both, relations)
        return both[:limit]

    def sharing(self, chunk_ids: Sequence[str], most_mentions: int, limit: int) -> list[tuple[str, str, int]]:
        """Enabled chunks only; if two chunks share several entities, the rarest counts."""
        with reading(self.engine) as connection:
            return mention_queries.sharing(connection, self.entities, chunk_ids, most_mentions)[:limit]

    def neighbours(self, entity_id: str, hops: int, limit: int) -> list[Neighbour]:
        """Neighbours, at most `limit` per hop, nearest hop first, then strongest first; `hops` is clamped to 1..3."""
        found: list[tuple[str, int, float]] = []
        with reading(self.engine) as connection:
            start = self.entities.resolution_of(connection, [entity_id]).of(entity_id)
            seen, inner = {start}, [start]
            network = self.networks.of(connection, _base_of(connection, entity_id))
            for hop in range(1, _clamped(hops, 1) + 1):
                weights = network.ring(inner, seen)
                inner = list(weights)
                seen.update(inner)
                found += [(id, hop, weights[id]) for id in inner[:limit]]
            known = {entity.id: entity for entity in self._load(connection, [id for id, _, _ in found])}
        return [Neighbour(known[id], hop, weight) for id, hop, weight in found]

    def view(self, base_id: str, entity_ids: Sequence[str], hops: int, limit: int) -> GraphView:
        """`hops` is clamped to 0..3; 0 shows the given entities and the relations among them."""
        with reading(self.engine) as connection:
            network = self.networks.of(connection, base_id)
            if entity_ids:
                resolution = self.entities.resolution(connection, base_id)
                there = entity_lookup.existing(connection, base_id, entity_ids)
                roots = list(dict.fromkeys(id for each in there if (id := resolution.of(each))))
                shown, left_out = network.around(roots, _clamped(hops, 0), limit)
            else:
                shown, left_out = network.centre(limit, self._file_order(connection, base_id))
            entities = self._load(connection, shown)
        return GraphView(tuple(entities), tuple(network.relations(shown)), left_out)

    def path(self, base_id: str, entity_ids: Sequence[str], strongest: bool) -> list[list[Entity]]:
        with reading(self.engine) as connection:
            resolution = self.entities.resolution(connection, base_id)
            network = self.networks.of(connection, base_id)
            shown = [resolution.of(entity_id) for entity_id in entity_ids]
            legs = [network.path(*ends, strongest) for ends in pairwise(shown)]
            known = {e.id: e for e in self.entities.load(connection, [id for leg in legs for id in leg], resolution)}
        return [[known[id] for id in leg] for leg in legs]

    def mentioned(self, base_id: str, where: MentionFilter) -> set[str]:
        with reading(self.engine) as connection:
            found = mention_queries.found(connection, base_id, where)
            resolution = self.entities.resolution(connection, base_id)
            if where.since:
                known = mention_queries.known_before(connection, base_id, where.since)
                return {id for each in found if (id := resolution.of(each))} - {resolution.of(each) for each in known}
        return {id for each in found if (id := resolution.of(each))}

    def mentions(self, entity_id: str, limit: int) -> list[MentionView]:
        """Mentions in document order, then text order, under the id of the shown entity."""
        with reading(self.engine) as connection:
            shown_as = members_of(self.entities.resolution_of(connection, [entity_id]), [entity_id])
            return mention_queries.views(connection, shown_as, limit)

    def relations_between(self, entity_ids: Sequence[str]) -> list[Relation]:
        """Entities of different bases have none."""
        with reading(self.engine) as connection:
            shown = self._load(connection, entity_ids)
            ids = [entity.id for entity in shown]
            bases = list(dict.fromkeys(entity.base_id for entity in shown))
            return [each for base_id in bases for each in self.networks.of(connection, base_id).relations(ids)]

    def stated_relations(self, base_id: str) -> Iterator[Relation]:
        with reading(self.engine) as connection:
            network = self.networks.of(connection, base_id)
            imported = mention_queries.imported_documents(connection, base_id)
        yield from network.stated
        yield from network.shared.relations_of(imported)

    def file_order(self, base_id: str) -> dict[str, int]:
        with reading(self.engine) as connection:
            return self._file_order(connection, base_id)

    def _file_order(self, connection: Connection, base_id: str) -> dict[str, int]:
        found = self._file_orders.of(connection, base_id)
        return mention_queries.shown_order(found, self.entities.resolution(connection, base_id)) if found else found

    def every(self, base_id: str) -> list[Entity]:
        with reading(self.engine) as connection:
            return self.entities.every(connection, base_id, self.entities.resolution(connection, base_id))

    def all(self, base_id: str) -> Iterator[tuple[Entity, list[Mention]]]:
        ordered = select(entities.c.id).where(entities.c.base_id == base_id).order_by(entities.c.id)
        with reading(self.engine) as connection:
            resolution = self.entities.resolution(connection, base_id)
            ids = [id for id in connection.execute(ordered).scalars() if resolution.of(id) == id]
            for batch in batches(ids):
                seen = mention_queries.of_entities(connection, members_of(resolution, batch))
                for entity in self.entities.load(connection, batch, resolution):
                    yield entity, seen.get(entity.id, [])

    def _nothing_known(self, connection: Connection, base_id: str) -> KnownEntities:
        return KnownEntities(base_id, self.entities.resolution(connection, base_id), self.entities)

    def _load(self, connection: Connection, entity_ids: Sequence[str]) -> list[Entity]:
        return self.entities.load(connection, entity_ids, self.entities.resolution_of(connection, entity_ids))

    def _read_network(self, connection: Connection, base_id: str) -> Network:
        found = self._found_networks.of(connection, base_id)
        resolution = self.entities.resolution(connection, base_id)
        if resolution is NOTHING:
            return found
        return found.resolved(resolution, networks.rejected(connection, resolution))


def _clamped(hops: int, least: int) -> int:
    return max(least, min(MAX_HOPS, hops))


def _base_of(connection: Connection, entity_id: str) -> str:
    """Empty for an unknown entity."""
    return connection.execute(select(entities.c.base_id).where(entities.c.id == entity_id)).scalar() or ""
