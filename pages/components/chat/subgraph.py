"""Entities used by a run and their relations as a small, self-contained SVG."""

from collections.abc import Sequence

from core.graph.layout.force_layout import layout
from pages.components.shell.services import services
from pages.components.shell.text import NO_HTML, Html, render

MOST = 30
"""Limit of entities that keeps the picture readable."""
WIDTH, HEIGHT, EDGE = 900, 520, 70
MAX_NAME = 28


def subgraph_svg(base_id: str, entity_ids: Sequence[str]) -> Html:
    """SVG of the entities; empty if they no longer exist."""
    view = services().graph.view(base_id, entity_ids[:MOST], 0, MOST) if entity_ids else None
    if view is None or not view.entities:
        return NO_HTML
    number = {entity.id: at for at, entity in enumerate(view.entities)}
    joined = [it for it in view.relations if it.source_id in number and it.target_id in number]
    ends = [(number[it.source_id], number[it.target_id]) for it in joined]
    places = _places([(float(x), float(y)) for x, y in layout(len(number), ends, [it.weight for it in joined])])
    lines = [(*places[one], *places[other]) for one, other in ends]
    nodes = [(entity.name, *place) for entity, place in zip(view.entities, places, strict=True)]
    return render("chat/bundle.html", "subgraph", width=WIDTH, height=HEIGHT, lines=lines, nodes=nodes, limit=MAX_NAME)


def _places(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points scaled to the picture."""
    low = (min(x for x, _ in points), min(y for _, y in points))
    span = (max(x for x, _ in points) - low[0] or 1.0, max(y for _, y in points) - low[1] or 1.0)
    room = (WIDTH - 2 * EDGE, HEIGHT - 2 * EDGE)
    return [(EDGE + (x - low[0]) / span[0] * room[0], EDGE + (y - low[1]) / span[1] * room[1]) for x, y in points]
