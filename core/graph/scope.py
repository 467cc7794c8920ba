"""Selects the part of the graph that is drawn, and counts what is left out."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from core.graph.model import Entity, GraphView, MentionFilter, Relation
from core.graph.network.cooccurrence import CO_OCCURS
from core.graph.ports import KnowledgeGraph

LIMITS = (50, 150, 300, 500)
"""Entities drawn at once; the drawing takes 500 at most."""
HOPS = (1, 2, 3)
NOBODY = "-"
"""An id that no entity has: a view of nothing, where no id would be a view of the centre."""
RELATIONS_PER_ENTITY = 3
MAX_RELATIONS = 5_000
MOST_LEAST = 100
"""Limit of the settings for least numbers."""
ALL, STATED, COUNTED = RELATIONS = ("all", "stated", "counted")


@dataclass(frozen=True, slots=True)
class GraphScope:
    centre: tuple[str, ...] = ()
    """Entity ids that the part is around; empty is the most connected part of the knowledge base."""
    exact: bool = False
    """Draws only the centre, such as the entities of an answer."""
    hops: int = 1
    types: tuple[str, ...] = ()
    """Only entities of these types (and the centre); empty is all."""
    limit: int = 150
    document: str = ""
    """Only entities that this document mentions (and the centre)."""
    mentions: int = 1
    """Least number of mentions of an entity that is shown."""
    links: int = 0
    """Least number of entities in the drawing that an entity is connected to."""
    pages: tuple[int, int] = (0, 0)
    """First and last page that an entity is mentioned on, counted from 1; 0 is open."""
    confidence: int = 0
    """Least confidence of a mention, in per cent."""
    since: str = ""
    """A date; only entities that no document mentioned before it."""
    until: str = ""
    """A date; the graph is that of its end, not the present one."""
    relations: str = ALL
    """Which relations are drawn: one of RELATIONS."""

    @property
    def most(self) -> int:
        """Entities that are drawn: those that were named one by one all are."""
        return max(self.limit, len(self.centre)) if self.exact else self.limit

    @property
    def narrowed(self) -> bool:
        """Whether filters other than types are set."""
        return self.where.narrows or self.mentions > 1

    @property
    def where(self) -> MentionFilter:
        first, last = self.pages
        since = datetime.fromisoformat(self.since).replace(tzinfo=UTC) if self.since else None
        return MentionFilter(self.document, max(0, first - 1), last - 1, self.confidence / 100, since)


@dataclass(frozen=True, slots=True)
class Shown:
    view: GraphView
    """What is drawn; its most important relations come first."""
    lines: int
    """Number of the relations that remain distinguishable when all entities are visible."""
    reached: int
    """Entities that the scope reaches, drawn or not."""


def shown(graph: KnowledgeGraph, base_id: str, scope: GraphScope) -> Shown:
    """The part of the graph in scope, strongest first; ids that are no longer there are left out."""
    fits = fitting(graph, base_id, scope)
    view = _view(graph, base_id, scope, fits)
    kept = [entity for entity in view.entities if fits(entity)]
    entities = tuple(kept[: scope.most])
    inside = of_kind(between(view.relations, entities), scope.relations)
    reached = len(kept) + view.left_out
    if not (scope.centre or scope.types or scope.narrowed):
        reached = max(reached, graph.stats(base_id).entities)
    if scope.links:
        entities = _connected(entities, inside, scope)
        inside = between(inside, entities)
    reached = max(reached, len(entities))
    ordered = by_importance(inside, scope.centre)
    near = sum(each.near for each in ordered)
    lines = min(near, RELATIONS_PER_ENTITY * len(entities))
    return Shown(GraphView(entities, ordered, reached - len(entities)), lines, reached)


def _view(graph: KnowledgeGraph, base_id: str, scope: GraphScope, fits: Callable[[Entity], bool]) -> GraphView:
    """Entities that the scope reaches; for a filtered whole graph they are chosen from all."""
    if (scope.types or scope.narrowed) and not scope.centre:
        every = [entity for entity in graph.every(base_id) if fits(entity)]
        view = graph.view(base_id, [entity.id for entity in every[: scope.limit]] or [NOBODY], 0, scope.limit)
        return replace(view, left_out=len(every) - len(view.entities))
    reach = LIMITS[-1] if scope.types or scope.narrowed else scope.limit
    return graph.view(base_id, scope.centre, 0 if scope.exact else scope.hops, max(reach, scope.most))


def fitting(graph: KnowledgeGraph, base_id: str, scope: GraphScope) -> Callable[[Entity], bool]:
    inside = graph.mentioned(base_id, scope.where) if scope.where.narrows else None

    def fits(entity: Entity) -> bool:
        of_type = not scope.types or entity.type in scope.types
        mentioned = entity.mentions >= scope.mentions and (inside is None or entity.id in inside)
        return entity.id in scope.centre or (of_type and mentioned)

    return fits


def of_kind(relations: Sequence[Relation], kind: str) -> list[Relation]:
    return [each for each in relations if kind == ALL or (each.relation == CO_OCCURS) == (kind == COUNTED)]


def _connected(entities: Sequence[Entity], relations: Sequence[Relation], scope: GraphScope) -> tuple[Entity, ...]:
    """Entities with enough links, and the centre."""
    links = links_of(relations)
    return tuple(e for e in entities if e.id in scope.centre or links[e.id] >= scope.links)


def links_of(relations: Sequence[Relation]) -> Counter[str]:
    """How many entities each one is related to, by its id."""
    ends = ((each.source_id, each.target_id) for each in relations)
    return Counter(one for one, _ in {pair for end in ends for pair in (end, end[::-1])})


def between(relations: Sequence[Relation], entities: Sequence[Entity]) -> list[Relation]:
    """Relations with both ends among the entities and two different ends."""
    ids = {entity.id for entity in entities}
    return [r for r in relations if r.source_id != r.target_id and r.source_id in ids and r.target_id in ids]


def by_importance(relations: Sequence[Relation], centre: Sequence[str] = ()) -> tuple[Relation, ...]:
    """Relations of the centre first, then the strongest of every entity, then the others; statements go before the
    strongest co-occurrence. Relations of which no sentence names both ends come last."""
    ordered = sorted(relations, key=lambda r: (r.relation == CO_OCCURS, -r.weight, r.source_id, r.target_id))
    central = [r for r in ordered if r.source_id in centre or r.target_id in centre]
    strongest: dict[str, Relation] = {}
    for relation in ordered:
        strongest.setdefault(relation.source_id, relation)
        strongest.setdefault(relation.target_id, relation)
    every = dict.fromkeys([*central, *strongest.values(), *ordered])
    return tuple(sorted(every, key=lambda r: not r.near))[:MAX_RELATIONS]


def around(scope: GraphScope, entity_id: str) -> GraphScope:
    """The same view, moved to the neighbourhood of one entity."""
    return replace(scope, centre=(entity_id,), exact=False)


def types_in(graph: KnowledgeGraph, base_id: str, scope: GraphScope) -> dict[str, int]:
    """How many entities of each type the filters but that of types leave, most first."""
    if scope.narrowed:
        fits = fitting(graph, base_id, replace(scope, types=(), centre=()))
        found = Counter(entity.type for entity in graph.every(base_id) if fits(entity))
    else:
        found = Counter(dict(graph.stats(base_id).types))
    found.update(dict.fromkeys(scope.types, 0))
    return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))
