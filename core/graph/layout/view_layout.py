"""Places for a part of the graph that is drawn."""

from core.graph.layout.force_layout import layout
from core.graph.scope import Shown


def positions_of(shown: Shown) -> list[tuple[float, float]]:
    """By the relations that are drawn."""
    place = {entity.id: index for index, entity in enumerate(shown.view.entities)}
    drawn = shown.view.relations[: shown.lines]
    positions = layout(len(place), [(place[r.source_id], place[r.target_id]) for r in drawn], [r.weight for r in drawn])
    return [(float(x), float(y)) for x, y in positions]
