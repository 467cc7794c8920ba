"""A knowledge graph in memory with edges, and two examples: forty nodes in English, a few in Chinese."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

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
from core.platform.errors import NotFoundError
from tests.fakes import BASE, FakeLibrary, TextGraph

_NAMES = """
TECHNOLOGY: EskFlow, HarborDB, KelpNet, LanternOS, MistralBus, NimbusCache, OpalQueue, PikeLang, QuartzVM, RidgeRPC,
 SableAuth, TernMesh
CONCEPT: Attention, Backpressure, Calibration, Consensus, Distillation, Embedding, Graph Partitioning, Idempotency,
 Lease, Quorum, Sharding, Vector Clock
PERSON: Ada Wren, Bo Lindqvist, Chen Rui, Dara Okafor, Elif Aydin, Finn Harte
ORGANIZATION: Harbor Institute, Lantern Labs, Marlow Trust, Nimbus AG, Ridge University
LOCATION: Aberdeen, Bergen, Cadiz, Dunkirk, Esbjerg
"""


@dataclass
class WalkedGraph(TextGraph):
    """Undirected; edges in both directions by entity id."""

    edges: dict[str, list[str]] = field(default_factory=dict)
    stated: list[Relation] = field(default_factory=list)

    def connect(self, one: str, other: str) -> None:
        self.edges.setdefault(f"e-{one}", []).append(f"e-{other}")
        self.edges.setdefault(f"e-{other}", []).append(f"e-{one}")

    def stats(self, base_id: str) -> GraphStats:
        counts: dict[str, int] = {}
        for entity in self.entities:
            counts[entity.type] = counts.get(entity.type, 0) + 1
        types = tuple(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))
        relations = sum(map(len, self.edges.values())) // 2
        return GraphStats(len(self.entities), len(self.entities), relations, 1, types)

    def search(self, base_id: str, query: str, limit: int, type: str = "") -> list[Entity]:
        wanted = query.casefold()
        found = [it for it in self.entities if wanted in it.name.casefold() and type in {"", it.type}]
        if wanted:
            found.sort(key=lambda it: (it.name.casefold() != wanted, not it.name.casefold().startswith(wanted)))
        return found[:limit]

    def neighbours(self, entity_id: str, hops: int, limit: int) -> list[Neighbour]:
        by_id = {entity.id: entity for entity in self.entities}
        seen, ring, found = {entity_id}, [entity_id], []
        for hop in range(1, hops + 1):
            ring = list(dict.fromkeys(it for inner in ring for it in self.edges.get(inner, ()) if it not in seen))
            seen.update(ring)
            found += [Neighbour(by_id[it], hop, 1.0) for it in ring[:limit]]
        return found

    def view(self, base_id: str, entity_ids: Sequence[str], hops: int, limit: int) -> GraphView:
        pairs = {tuple(sorted((one, other))) for one, others in self.edges.items() for other in others}
        relations = tuple(Relation(one, other, "CO_OCCURS_IN", 1.0) for one, other in sorted(pairs))
        return GraphView(tuple(self.entities[:limit]), relations)

    def path(self, base_id: str, entity_ids: Sequence[str], strongest: bool) -> list[list[Entity]]:
        by_id = {entity.id: entity for entity in self.entities}
        return [[by_id[id] for id in self._way(*ends)] for ends in pairwise(entity_ids)]

    def _way(self, source: str, target: str) -> list[str]:
        ways = [[source]]
        seen = {source}
        while ways and ways[0][-1] != target:
            way = ways.pop(0)
            onward = [it for it in self.edges.get(way[-1], ()) if it not in seen]
            seen.update(onward)
            ways += [[*way, it] for it in onward]
        return ways[0] if ways else []

    def entity(self, entity_id: str) -> Entity:
        found = next((entity for entity in self.entities if entity.id == entity_id), None)
        if found is None:
            raise NotFoundError("error.document_missing")
        return found

    def relations_between(self, entity_ids: Sequence[str]) -> list[Relation]:
        return [each for each in self.stated if {each.source_id, each.target_id} <= set(entity_ids)]

    def stated_relations(self, base_id: str) -> Iterator[Relation]:
        yield from self.stated

    def mentioned(self, base_id: str, where: MentionFilter) -> set[str]:
        chunks = [chunk.id for chunk in self.library.passages.chunks(where.document)]
        return {entity.id for held in self.of_chunks(chunks).values() for entity in held}

    def every(self, base_id: str) -> list[Entity]:
        return self.entities

    def shared_chunks(self, entity_id: str, other_id: str, limit: int, unused: bool = False) -> list[str]:
        held = self.of_chunks([chunk.id for chunk in self.library.passages.chunk_list])
        return [id for id, inside in held.items() if {entity_id, other_id} <= {it.id for it in inside}][:limit]

    def mentions(self, entity_id: str, limit: int) -> list[MentionView]:
        at = next(at for at, entity in enumerate(self.entities) if entity.id == entity_id)
        mention = Mention(f"m{at}", entity_id, "d1", "d1-0", at // 4, 0, 1, "x", 0.95)
        return [MentionView(mention, "paper.pdf", "", ())]

    def all(self, base_id: str) -> Iterator[tuple[Entity, list[Mention]]]:
        return ((entity, []) for entity in self.entities)


def forty() -> WalkedGraph:
    """EskFlow lies in the middle of everything; the others form a ring."""
    graph = WalkedGraph(FakeLibrary())
    for line in _NAMES.strip().replace("\n ", " ").splitlines():
        type, _, listed = line.partition(": ")
        for name in listed.split(", "):
            graph.add(name, type)
    names = [entity.name for entity in graph.entities]
    for one, other in zip(names, [*names[1:], names[0]], strict=True):
        graph.connect(one, other)
    for other in names[2:30:2]:
        graph.connect("EskFlow", other)
    return graph


def chinese() -> WalkedGraph:
    graph = WalkedGraph(FakeLibrary())
    for name, type in (
        ("校准层", "CONCEPT"),
        ("浮标", "TECHNOLOGY"),
        ("林雨晴", "PERSON"),
        ("青屿海洋观测站", "ORGANIZATION"),
        ("青屿", "LOCATION"),
    ):
        graph.add(name, type)
    for one, other in (
        ("校准层", "浮标"),
        ("浮标", "青屿海洋观测站"),
        ("青屿海洋观测站", "林雨晴"),
        ("青屿海洋观测站", "青屿"),
    ):
        graph.connect(one, other)
    return graph


__all__ = ["BASE", "chinese", "forty"]
