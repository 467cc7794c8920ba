"""Knowledge graphs in memory."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import pairwise

from core.graph.edits import GraphEdit, GraphEvent, LoggedEdit, Resolution
from core.graph.layout.full_layout import whole_graph
from core.graph.model import (
    CommunitySentence,
    Entity,
    GraphStats,
    GraphView,
    Mention,
    MentionFilter,
    MentionView,
    Neighbour,
    Relation,
    WholeGraph,
)
from core.graph.network.cooccurrence import CO_OCCURS, Cooccurrence
from core.graph.network.network import Network
from core.graph.ports import PastGraph
from core.graph.resolution.resolution import resolve
from core.platform.errors import InputError, NotFoundError
from tests.fakes.library import FakeLibrary
from tests.fakes.samples import BASE

NOON = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)


@dataclass
class TextGraph:
    """Entities by name; a chunk mentions those whose name stands in its text."""

    library: FakeLibrary
    entities: list[Entity] = field(default_factory=list)

    def add(self, name: str, type: str = "CONCEPT", aliases: tuple[str, ...] = ()) -> None:
        self.entities.append(Entity(f"e-{name}", BASE, name, type, aliases))

    def named_in(self, base_id: str, text: str, limit: int) -> list[Entity]:
        found = [e for e in self.entities if any(n.lower() in text.lower() for n in (e.name, *e.aliases))]
        return sorted(found, key=lambda entity: (-len(entity.name), entity.name))[:limit]

    def of_chunks(self, chunk_ids: Sequence[str]) -> dict[str, list[Entity]]:
        passages = self.library.passages.get(chunk_ids)
        return {passage.chunk.id: self.named_in(BASE, passage.chunk.text, 100) for passage in passages}

    def mentioned_in(self, base_id: str, chunk_ids: Sequence[str]) -> dict[str, list[Entity]]:
        raise NotImplementedError

    def touched(self, base_id: str, text: str, chunk_ids: Sequence[str], limit: int) -> list[str]:
        held = self.of_chunks(chunk_ids).values()
        found = [*self.named_in(base_id, text, limit), *(entity for inside in held for entity in inside)]
        return list(dict.fromkeys(entity.id for entity in found))[:limit]

    def stats(self, base_id: str) -> GraphStats:
        raise NotImplementedError

    def entity(self, entity_id: str) -> Entity:
        raise NotImplementedError

    def search(self, base_id: str, query: str, limit: int, type: str = "") -> list[Entity]:
        return [entity for entity in self.entities if entity.base_id == base_id][:limit]

    def counterparts(self, base_id: str, least: float) -> list[tuple[Entity, Entity, float]]:
        return []

    def documents_of(self, entity_ids: Sequence[str]) -> dict[str, set[str]]:
        raise NotImplementedError

    def alike(self, base_id: str, query: str, limit: int, any_script: bool = False) -> list[Entity]:
        return []

    def chunks_of(self, entity_ids: Sequence[str], limit: int) -> list[tuple[str, int]]:
        held = self.of_chunks([chunk.id for chunk in self.library.passages.chunk_list])
        counts = {chunk_id: sum(entity.id in entity_ids for entity in inside) for chunk_id, inside in held.items()}
        best = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        return [pair for pair in best if pair[1]][:limit]

    def shared_chunks(self, entity_id: str, other_id: str, limit: int, unused: bool = False) -> list[str]:
        raise NotImplementedError

    def sharing(self, chunk_ids: Sequence[str], most_mentions: int, limit: int) -> list[tuple[str, str, int]]:
        raise NotImplementedError

    def neighbours(self, entity_id: str, hops: int, limit: int) -> list[Neighbour]:
        """Those of the chunks that mention the entity, one hop away."""
        mentioned = self.of_chunks([chunk.id for chunk in self.library.passages.chunk_list]).values()
        near = (entity for held in mentioned if any(e.id == entity_id for e in held) for entity in held)
        others = {entity.id: entity for entity in near if entity.id != entity_id}
        return [Neighbour(entity, 1, 1.0) for entity in others.values()][:limit]

    def view(self, base_id: str, entity_ids: Sequence[str], hops: int, limit: int) -> GraphView:
        raise NotImplementedError

    def mentions(self, entity_id: str, limit: int) -> list[MentionView]:
        raise NotImplementedError

    def relations_between(self, entity_ids: Sequence[str]) -> list[Relation]:
        raise NotImplementedError

    def stated_relations(self, base_id: str) -> Iterator[Relation]:
        return iter(())

    def file_order(self, base_id: str) -> dict[str, int]:
        return {}

    def path(self, base_id: str, entity_ids: Sequence[str], strongest: bool) -> list[list[Entity]]:
        raise NotImplementedError

    def mentioned(self, base_id: str, where: MentionFilter) -> set[str]:
        raise NotImplementedError

    def every(self, base_id: str) -> list[Entity]:
        raise NotImplementedError

    def all(self, base_id: str) -> Iterator[tuple[Entity, list[Mention]]]:
        raise NotImplementedError


@dataclass
class FakeGraph:
    """A KnowledgeGraph of given entities and relations."""

    entities: dict[str, Entity] = field(default_factory=dict)
    relations: list[Relation] = field(default_factory=list)
    sentences: dict[str, list[MentionView]] = field(default_factory=dict)

    def stats(self, base_id: str) -> GraphStats:
        own = [entity for entity in self.entities.values() if entity.base_id == base_id]
        types = sorted({entity.type for entity in own})
        counts = tuple((name, sum(entity.type == name for entity in own)) for name in types)
        return GraphStats(len(own), sum(e.mentions for e in own), len(self.relations), 1, counts)

    def entity(self, entity_id: str) -> Entity:
        if entity_id not in self.entities:
            raise NotFoundError("error.document_missing")
        return self.entities[entity_id]

    def search(self, base_id: str, query: str, limit: int, type: str = "") -> list[Entity]:
        words = query.casefold()
        found = [
            entity
            for entity in self._by_mentions(base_id)
            if any(words in name.casefold() for name in (entity.name, *entity.aliases))
            and (not type or entity.type == type)
        ]
        return found[:limit]

    def counterparts(self, base_id: str, least: float) -> list[tuple[Entity, Entity, float]]:
        return []

    def documents_of(self, entity_ids: Sequence[str]) -> dict[str, set[str]]:
        return {id: {view.mention.document_id for view in self.sentences.get(id, [])} for id in entity_ids}

    def alike(self, base_id: str, query: str, limit: int, any_script: bool = False) -> list[Entity]:
        return []

    def named_in(self, base_id: str, text: str, limit: int) -> list[Entity]:
        return [entity for entity in self._by_mentions(base_id) if entity.name in text][:limit]

    def touched(self, base_id: str, text: str, chunk_ids: Sequence[str], limit: int) -> list[str]:
        held = self.of_chunks(chunk_ids).values()
        found = [*self.named_in(base_id, text, limit), *(entity for inside in held for entity in inside)]
        return list(dict.fromkeys(entity.id for entity in found))[:limit]

    def of_chunks(self, chunk_ids: Sequence[str]) -> dict[str, list[Entity]]:
        found: dict[str, list[Entity]] = {chunk_id: [] for chunk_id in chunk_ids}
        for entity_id in self.sentences.keys() & self.entities.keys():
            for chunk_id in {view.mention.chunk_id for view in self.sentences[entity_id]} & found.keys():
                found[chunk_id].append(self.entities[entity_id])
        return found

    def mentioned_in(self, base_id: str, chunk_ids: Sequence[str]) -> dict[str, list[Entity]]:
        return self.of_chunks(chunk_ids)

    def chunks_of(self, entity_ids: Sequence[str], limit: int) -> list[tuple[str, int]]:
        del entity_ids, limit
        return []

    def shared_chunks(self, entity_id: str, other_id: str, limit: int, unused: bool = False) -> list[str]:
        chunks = [{view.mention.chunk_id for view in self.sentences.get(id, [])} for id in (entity_id, other_id)]
        return sorted(set.intersection(*chunks))[:limit]

    def sharing(self, chunk_ids: Sequence[str], most_mentions: int, limit: int) -> list[tuple[str, str, int]]:
        del chunk_ids, most_mentions, limit
        return []

    def neighbours(self, entity_id: str, hops: int, limit: int) -> list[Neighbour]:
        distance = self._distances((entity_id,), hops)
        found = [
            Neighbour(self.entities[other], hop, self._weight(entity_id, other))
            for other, hop in distance.items()
            if hop > 0
        ]
        return sorted(found, key=lambda n: (n.hop, -n.weight, n.entity.name))[:limit]

    def view(self, base_id: str, entity_ids: Sequence[str], hops: int, limit: int) -> GraphView:
        known = [entity_id for entity_id in entity_ids if entity_id in self.entities]
        if entity_ids:
            distance = self._distances(known, hops)
            reached = sorted((self.entities[i] for i in distance), key=lambda e: (distance[e.id], -e.mentions))
        else:
            reached = self._by_mentions(base_id)
        kept = tuple(reached[:limit])
        return GraphView(kept, tuple(self.relations_between([e.id for e in kept])), len(reached) - len(kept))

    def mentions(self, entity_id: str, limit: int) -> list[MentionView]:
        return self.sentences.get(entity_id, [])[:limit]

    def relations_between(self, entity_ids: Sequence[str]) -> list[Relation]:
        ids = set(entity_ids)
        return [r for r in self.relations if r.source_id in ids and r.target_id in ids]

    def stated_relations(self, base_id: str) -> Iterator[Relation]:
        return (each for each in self.relations if each.relation != CO_OCCURS)

    def file_order(self, base_id: str) -> dict[str, int]:
        return {}

    def path(self, base_id: str, entity_ids: Sequence[str], strongest: bool) -> list[list[Entity]]:
        """Through a common neighbour, or straight."""
        legs = []
        for one, other in pairwise(entity_ids):
            near = [self._distances((end,), 1) for end in (one, other)]
            between = sorted(near[0].keys() & near[1].keys() - {one, other})
            way = [one, other] if other in near[0] else [one, between[0], other] if between else []
            legs.append([self.entities[id] for id in way])
        return legs

    def mentioned(self, base_id: str, where: MentionFilter) -> set[str]:
        """All of them are as old as the others."""

        def fits(mention: Mention) -> bool:
            last = where.last_page if where.last_page >= 0 else mention.page
            inside = where.first_page <= mention.page <= last and mention.confidence >= where.confidence
            return inside and where.document in ("", mention.document_id)

        listed = {id for id, views in self.sentences.items() if any(fits(view.mention) for view in views)}
        return set() if where.since else listed

    def every(self, base_id: str) -> list[Entity]:
        return self._by_mentions(base_id)

    def all(self, base_id: str) -> Iterator[tuple[Entity, list[Mention]]]:
        for entity in self._by_mentions(base_id):
            yield entity, [view.mention for view in self.sentences.get(entity.id, [])]

    def _by_mentions(self, base_id: str) -> list[Entity]:
        own = [entity for entity in self.entities.values() if entity.base_id == base_id]
        return sorted(own, key=lambda entity: (-entity.mentions, entity.name))

    def _weight(self, one: str, other: str) -> float:
        pair = {one, other}
        return sum(r.weight for r in self.relations if {r.source_id, r.target_id} == pair)

    def _distances(self, start: Sequence[str], hops: int) -> dict[str, int]:
        distance = dict.fromkeys(start, 0)
        edge_of = list(start)
        for hop in range(1, hops + 1):
            near = {
                other
                for r in self.relations
                for one, other in ((r.source_id, r.target_id), (r.target_id, r.source_id))
                if one in edge_of and other not in distance
            }
            distance |= dict.fromkeys(sorted(near), hop)
            edge_of = sorted(near)
        return distance


@dataclass
class FakeGraphEdits:
    """A log of edits in memory; FakeGraph does not follow it."""

    logged: list[LoggedEdit] = field(default_factory=list)
    existing: Collection[str] = ()

    def record(self, base_id: str, edits: Sequence[GraphEdit]) -> int:
        del base_id
        batch = len(self.logged) + 1
        self.logged += [LoggedEdit(batch + place, batch, NOON, edit) for place, edit in enumerate(edits)]
        return batch

    def add_log(self, base_id: str, logged: Sequence[LoggedEdit]) -> None:
        self.record(base_id, [each.edit for each in logged])

    def events(self, base_id: str) -> list[GraphEvent]:
        del base_id
        return []

    def log(self, base_id: str, limit: int) -> list[LoggedEdit]:
        del base_id
        return self.logged[::-1][:limit]

    def set_undone(self, base_id: str, numbers: Sequence[int], undone: bool) -> None:
        del base_id
        self.logged = [replace(each, undone=undone) if each.number in numbers else each for each in self.logged]

    def next_undo(self, base_id: str) -> tuple[LoggedEdit, ...]:
        return tuple(each for each in self.log(base_id, 1) if not each.undone)

    def next_redo(self, base_id: str) -> tuple[LoggedEdit, ...]:
        return tuple(each for each in self.log(base_id, 1) if each.undone)

    def parts(self, base_id: str, entity_id: str) -> list[Entity]:
        del base_id, entity_id
        return []

    def resolution(self, base_id: str) -> Resolution:
        del base_id
        return resolve([each.edit for each in self.logged if not each.undone], self.existing)


@dataclass
class FakeWholeGraphs:
    """Of the graph as it was when it was first asked for."""

    graph: FakeGraph
    made: dict[str, WholeGraph] = field(default_factory=dict)
    rough: bool = False

    def whole(self, base_id: str) -> WholeGraph:
        if base_id not in self.made:
            relations = Network(Cooccurrence({}), tuple(self.graph.relations))
            self.made[base_id] = whole_graph("1", self.graph.every(base_id), relations, {})
        return replace(self.made[base_id], rough=True) if self.rough else self.made[base_id]

    def prepare(self, base_id: str) -> None:
        """Nothing waits for it."""


@dataclass
class FakeCommunities:
    """The same sentences of every community."""

    sentences: tuple[CommunitySentence, ...] = ()

    def describe(self, base_id: str, members: Sequence[Entity]) -> tuple[CommunitySentence, ...]:
        del base_id, members
        return self.sentences


@dataclass
class FakePastGraphs:
    """What tests put there, by the moment that is asked for."""

    kept: dict[datetime, PastGraph] = field(default_factory=dict)

    def as_of(self, base_id: str, moment: datetime) -> PastGraph:
        del base_id
        if moment not in self.kept:
            raise InputError("kg.past_too_large", limit="1")
        return self.kept[moment]
