"""A drawing of the graph as SVG, and as one HTML file that loads nothing. Names are data, never markup."""

import math
from collections.abc import Mapping, Sequence
from html import escape

from core.graph.model import Entity, GraphView, Relation

WIDTH, HEIGHT, MARGIN = 1200.0, 900.0, 70.0
_FONT = 12
_LONGEST = 36
_COLOURS: Mapping[str, str] = {
    "TECHNOLOGY": "#2f7fa3",
    "CONCEPT": "#8a5ad6",
    "PERSON": "#d0453e",
    "ORGANIZATION": "#b7860b",
    "LOCATION": "#1d8f5b",
}
_OTHER = "#6b7280"
_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#1f2937;paint-order:stroke;stroke:#fff;stroke-width:3px}"
    "line{stroke:#9ca3af}"
)
_PAGE_STYLE = (
    "body{font:14px system-ui,sans-serif;margin:2rem;color:#1f2937}svg{width:100%;height:auto}"
    "table{border-collapse:collapse}td,th{padding:.3rem .8rem;border:1px solid #ddd;text-align:left}"
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
Position = tuple[float, float]


def svg(view: GraphView, positions: Sequence[Position], lines: int) -> str:
    """positions: one (x, y) an entity, in any unit; the first `lines` relations are drawn."""
    places = dict(zip((entity.id for entity in view.entities), _fitted(positions), strict=True))
    strongest = max((each.weight for each in view.relations), default=1.0) or 1.0
    most = max((entity.mentions for entity in view.entities), default=1) or 1
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img">',
        f"<style>{_STYLE}</style>",
        f'<rect width="{WIDTH:g}" height="{HEIGHT:g}" fill="#fff"/>',
        *(_line(each, places, strongest) for each in view.relations[:lines]),
        *(_node(entity, places[entity.id], most) for entity in view.entities),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def page(view: GraphView, positions: Sequence[Position], lines: int, title: str, columns: Sequence[str]) -> str:
    """The drawing with a table of its entities below; columns: the heads for name, type, mentions and aliases."""
    heads = "".join(f"<th>{_text(column)}</th>" for column in columns)
    rows = "\n".join(
        f"<tr><td>{_text(entity.name)}</td><td>{_text(entity.type)}</td><td>{entity.mentions}</td>"
        f"<td>{_text('; '.join(entity.aliases))}</td></tr>"
        for entity in view.entities
    )
    return (
        '<!doctype html>\n<html><head><meta charset="utf-8"/>'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"/><title>{_text(title)}</title>'
        f"<style>{_PAGE_STYLE}</style></head>\n<body><h1>{_text(title)}</h1>\n{svg(view, positions, lines)}"
        f"<table><thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table></body></html>\n"
    )


def _fitted(positions: Sequence[Position]) -> list[Position]:
    """In the room that the picture has."""
    if not positions:
        return []
    (left, right), (top, bottom) = ((min(axis), max(axis)) for axis in zip(*positions, strict=True))
    across, down = (WIDTH - 2 * MARGIN) / ((right - left) or 1), (HEIGHT - 2 * MARGIN) / ((bottom - top) or 1)
    return [(round(MARGIN + (x - left) * across, 1), round(MARGIN + (y - top) * down, 1)) for x, y in positions]


def _line(relation: Relation, places: Mapping[str, Position], strongest: float) -> str:
    (x1, y1), (x2, y2) = places[relation.source_id], places[relation.target_id]
    width = round(0.5 + 3 * math.sqrt(max(relation.weight, 0.0) / strongest), 2)
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke-width="{width}" stroke-opacity=".5"/>'


def _node(entity: Entity, place: Position, most: int) -> str:
    x, y = place
    radius = round(5 + 14 * math.sqrt(entity.mentions / most), 1)
    name = entity.name if len(entity.name) <= _LONGEST else f"{entity.name[: _LONGEST - 1]}…"
    return (
        f'<g><title>{_text(entity.name)}</title><circle cx="{x}" cy="{y}" r="{radius}" '
        f'fill="{_COLOURS.get(entity.type, _OTHER)}"/>'
        f'<text x="{x}" y="{round(y + radius + _FONT, 1)}" text-anchor="middle">{_text(name)}</text></g>'
    )


def _text(words: str) -> str:
    """Escaped, without what XML forbids or what turns the direction of writing."""
    kept = (sign if sign.isprintable() else " " for sign in words)
    return escape("".join(kept))
