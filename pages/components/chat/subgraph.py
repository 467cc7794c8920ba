"""The entities that a run touched, and how they are joined, as a small picture that needs nothing else."""

from collections.abc import Sequence

from core.graph.layout.force_layout import layout
from pages.components.shell.services import services
from pages.components.shell.text import html_of

MOST = 30
"""Entities; more are no picture to read."""
WIDTH, HEIGHT, EDGE = 900, 520, 70
MAX_NAME = 28


def subgraph_svg(base_id: str, entity_ids: Sequence[str]) -> str:
    """Empty where the entities are gone."""
    view = services().graph.view(base_id, entity_ids[:MOST], 0, MOST) if entity_ids else None
    if view is None or not view.entities:
        return ""
    number = {entity.id: at for at, entity in enumerate(view.entities)}
    joined = [it for it in view.relations if it.source_id in number and it.target_id in number]
    ends = [(number[it.source_id], number[it.target_id]) for it in joined]
    places = _places([(float(x), float(y)) for x, y in layout(len(number), ends, [it.weight for it in joined])])
    lines = "".join(
        f'<line x1="{places[a][0]:.0f}" y1="{places[a][1]:.0f}" x2="{places[b][0]:.0f}" y2="{places[b][1]:.0f}" '
        'stroke="var(--gt-edge)" stroke-width="1"/>'
        for a, b in ends
    )
    nodes = "".join(
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="5" fill="var(--gt-accent)"/>'
        f'<text x="{x:.0f}" y="{y - 9:.0f}" text-anchor="middle" font-size="12" fill="var(--gt-ink)">'
        f"{html_of(entity.name, MAX_NAME)}</text>"
        for entity, (x, y) in zip(view.entities, places, strict=True)
    )
    return f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" width="100%">{lines}{nodes}</svg>'


def _places(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Fitted into the picture."""
    low = (min(x for x, _ in points), min(y for _, y in points))
    span = (max(x for x, _ in points) - low[0] or 1.0, max(y for _, y in points) - low[1] or 1.0)
    room = (WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE)
    return [(EDGE + (x - low[0]) / span[0] * room[0], EDGE + (y - low[1]) / span[1] * room[1]) for x, y in points]
