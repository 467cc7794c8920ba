"""What the size and the shade of an entity in a drawing can tell. Pure functions."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from core.graph.scope import Shown

MENTIONS, LINKS, DOCUMENTS, CENTRALITY = MEASURES = ("mentions", "links", "documents", "centrality")
USUAL = MENTIONS
STEPS = 5
"""Shades."""


def measure_of(shown: Shown, kind: str, centrality: Mapping[str, float] = MappingProxyType({})) -> list[float]:
    """One an entity. kind: one of MEASURES; centrality: by entity, in the whole graph."""
    entities = shown.view.entities
    if kind == MENTIONS:
        return [float(entity.mentions) for entity in entities]
    if kind == DOCUMENTS:
        return [float(entity.documents) for entity in entities]
    if kind == CENTRALITY:
        return [centrality.get(entity.id, 0.0) for entity in entities]
    others: dict[str, set[str]] = {entity.id: set() for entity in entities}
    for each in shown.view.relations:
        others[each.source_id].add(each.target_id)
        others[each.target_id].add(each.source_id)
    return [float(len(others[entity.id])) for entity in entities]


def shades_of(values: Sequence[float]) -> list[int]:
    """Numbers from 0 for the least to STEPS - 1: as many entities in each as ties allow, equal values in one."""
    order = sorted(values)
    first = {value: place for place, value in reversed(list(enumerate(order)))}
    return [first[value] * STEPS // max(1, len(order)) for value in values]
