"""Which part of the graph is shown, chosen so that it can be drawn and read, and what that leaves out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.domain.knowledge import Entity, GraphView, Relation
from core.ports.graph import KnowledgeGraph

LIMITS = (50, 150, 300, 500)
"""Entities drawn at once; the drawing takes 500 at most."""
HOPS = (1, 2, 3)
RELATIONS_PER_ENTITY = 3
MAX_RELATIONS = 5_000


@dataclass(frozen=True, slots=True)
class Scope:
    centre: tuple[str, ...] = ()
    """Entity ids that the part is around; empty is the most connected part of the knowledge base."""
    exact: bool = False
    """Nothing but the centre: what an answer touched."""
    hops: int = 1
    types: tuple[str, ...] = ()
    """Only entities of these types (and the centre); empty is all."""
    limit: int = 150


@dataclass(frozen=True, slots=True)
class Shown:
    view: GraphView
    """What is drawn; its relations with the most telling ones first."""
    lines: int
    """How many of the relations a reader can still tell apart when all entities are seen at once."""
    reached: int
    """Entities that the scope reaches, drawn or not."""


def shown(graph: KnowledgeGraph, base_id: str, scope: Scope) -> Shown:
    """The part of the graph in scope, strongest first; ids that are no longer there are left out."""
    reach = LIMITS[-1] if scope.types else scope.limit
    view = graph.view(base_id, scope.centre, 0 if scope.exact else scope.hops, reach)
    fitting = [e for e in view.entities if not scope.types or e.type in scope.types or e.id in scope.centre]
    entities = tuple(fitting[: scope.limit])
    inside = between(view.relations, entities)
    reached = len(fitting) + view.left_out
    if not scope.centre:
        reached = max(reached if not scope.types else 0, _of_types(graph, base_id, scope.types))
    reached = max(reached, len(entities))
    ordered = telling(inside, scope.centre)
    lines = min(len(ordered), RELATIONS_PER_ENTITY * len(entities))
    return Shown(GraphView(entities, ordered, reached - len(entities)), lines, reached)


def between(relations: Sequence[Relation], entities: Sequence[Entity]) -> list[Relation]:
    """Relations with both ends among the entities and two different ends."""
    ids = {entity.id for entity in entities}
    return [r for r in relations if r.source_id != r.target_id and r.source_id in ids and r.target_id in ids]


def telling(relations: Sequence[Relation], centre: Sequence[str] = ()) -> tuple[Relation, ...]:
    """Those of the centre first, then every entity's strongest, then the others; strongest first in each."""
    ordered = sorted(relations, key=lambda r: (-r.weight, r.source_id, r.target_id, r.relation))
    central = [r for r in ordered if r.source_id in centre or r.target_id in centre]
    strongest: dict[str, Relation] = {}
    for relation in ordered:
        strongest.setdefault(relation.source_id, relation)
        strongest.setdefault(relation.target_id, relation)
    return tuple(dict.fromkeys([*central, *strongest.values(), *ordered]))[:MAX_RELATIONS]


def around(scope: Scope, entity_id: str) -> Scope:
    """The same view, moved to the neighbourhood of one entity."""
    return replace(scope, centre=(entity_id,), exact=False)


def _of_types(graph: KnowledgeGraph, base_id: str, types: Sequence[str]) -> int:
    return sum(count for name, count in graph.stats(base_id).types if not types or name in types)
