"""A drawing of the graph as SVG and PNG at print size, and as one HTML file that loads nothing.

Names are data, never markup.
"""

import math
from collections.abc import Mapping, Sequence
from html import escape

from core.graph.model import ENTITY_TYPES, Entity, GraphView, Relation
from core.graph.network.cooccurrence import CO_OCCURS
from core.platform.plain_text import shortened
from core.platform.texts import text

WIDTH, HEIGHT, MARGIN = 1200.0, 900.0, 70.0
HEAD, FOOT = 60.0, 50.0
"""Heights of the title above and the legend below."""
PAGE = 'width="297mm" height="250mm"'
"""A landscape sheet of A4 across."""
PRINT_WIDTH = 3508
"""Pixels: A4 across at 300 dots an inch."""
_FONT = 12
_LONGEST = 36
_COLOURS: Mapping[str, str] = {
    "TECHNOLOGY": "#2f7fa3",
    "CONCEPT": "#8a5ad6",
    "PERSON": "#d0453e",
    "ORGANIZATION": "#b7860b",
    "LOCATION": "#1d8f5b",
    "EVENT": "#d9730d",
}
_OTHER = "#6b7280"
_FAMILY = "system-ui,'Noto Sans','Noto Sans CJK SC','PingFang SC','Microsoft YaHei',sans-serif"
_STYLE = (
    f"text{{font:12px {_FAMILY};fill:#1f2937;paint-order:stroke;stroke:#fff;stroke-width:3px}}"
    "text.title{font-size:24px;font-weight:600}text.verb{font-size:10px;font-style:italic;fill:#4b5563}"
    "line{stroke:#9ca3af}"
)
_PAGE_STYLE = (
    "body{font:14px system-ui,sans-serif;margin:2rem;color:#1f2937}svg{width:100%;height:auto}"
    "table{border-collapse:collapse}td,th{padding:.3rem .8rem;border:1px solid #ddd;text-align:left}"
)
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_SAID = 60
"""Limit of the relations with words on their lines; more would hide the drawing."""
Position = tuple[float, float]
_HEADS = ("table.name", "edit.type", "panel.mentions", "table.aliases")
_NOTES = ("size", "width", "words")


def colour_of(type: str) -> str:
    """As #rrggbb."""
    return _COLOURS.get(type, _OTHER)


def radius_of(mentions: int, most: int) -> float:
    return round(5 + 14 * math.sqrt(mentions / most), 1)


def svg(view: GraphView, positions: Sequence[Position], lines: int, title: str, language: str) -> str:
    """positions: one (x, y) an entity, in any unit; the first `lines` relations are drawn."""
    places = dict(zip((entity.id for entity in view.entities), _fitted(positions), strict=True))
    drawn = view.relations[:lines]
    strongest = max((each.weight for each in view.relations), default=1.0) or 1.0
    most = max((entity.mentions for entity in view.entities), default=1) or 1
    high = HEAD + HEIGHT + FOOT
    said = [each for each in drawn if each.relation != CO_OCCURS]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {PAGE} viewBox="0 0 {WIDTH:g} {high:g}" role="img">',
        f"<title>{_text(title)}</title><style>{_STYLE}</style>",
        f'<rect width="{WIDTH:g}" height="{high:g}" fill="#fff"/>',
        f'<text class="title" x="{MARGIN:g}" y="{HEAD - 15:g}">{_text(title)}</text>',
        *(_line(each, places, strongest) for each in drawn),
        *(_node(entity, places[entity.id], most) for entity in view.entities),
        *(_verb(each, places) for each in (said if len(said) <= _SAID else ())),
        *(_name(entity, places[entity.id], most) for entity in view.entities),
        *_legend(view, language),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def png(drawing: str) -> bytes:
    """PNG of an SVG, at print size. Names are drawn in the fonts of this machine."""
    import resvg_py  # 3 MB, for those who ask for a picture

    return bytes(resvg_py.svg_to_bytes(svg_string=drawing, width=PRINT_WIDTH, dpi=96.0, background="#ffffff"))


def page(view: GraphView, positions: Sequence[Position], lines: int, title: str, language: str) -> str:
    """The drawing with a table of its entities below."""
    heads = "".join(f"<th>{_text(text(f'graph.{column}', language))}</th>" for column in _HEADS)
    rows = "\n".join(
        f"<tr><td>{_text(entity.name)}</td><td>{_text(entity.type)}</td><td>{entity.mentions}</td>"
        f"<td>{_text('; '.join(entity.aliases))}</td></tr>"
        for entity in view.entities
    )
    return (
        '<!doctype html>\n<html><head><meta charset="utf-8"/>'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"/><title>{_text(title)}</title>'
        f"<style>{_PAGE_STYLE}</style></head>\n<body>{svg(view, positions, lines, title, language)}"
        f"<table><thead><tr>{heads}</tr></thead><tbody>\n{rows}\n</tbody></table></body></html>\n"
    )


def _fitted(positions: Sequence[Position]) -> list[Position]:
    """Positions scaled to the picture."""
    if not positions:
        return []
    (left, right), (top, bottom) = ((min(axis), max(axis)) for axis in zip(*positions, strict=True))
    across, down = (WIDTH - 2 * MARGIN) / ((right - left) or 1), (HEIGHT - 2 * MARGIN) / ((bottom - top) or 1)
    above = HEAD + MARGIN
    return [(round(MARGIN + (x - left) * across, 1), round(above + (y - top) * down, 1)) for x, y in positions]


def _line(relation: Relation, places: Mapping[str, Position], strongest: float) -> str:
    (x1, y1), (x2, y2) = places[relation.source_id], places[relation.target_id]
    width = round(0.5 + 3 * math.sqrt(max(relation.weight, 0.0) / strongest), 2)
    return f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke-width="{width}" stroke-opacity=".5"/>'


def _verb(relation: Relation, places: Mapping[str, Position]) -> str:
    """The words of a relation with an arrow for its direction."""
    (x1, y1), (x2, y2) = places[relation.source_id], places[relation.target_id]
    words = shortened(relation.relation, _LONGEST)
    directed = f"{words} →" if x1 <= x2 else f"← {words}"
    middle = f'x="{round((x1 + x2) / 2, 1)}" y="{round((y1 + y2) / 2, 1)}"'
    return f'<text class="verb" {middle} text-anchor="middle">{_text(directed)}</text>'


def _node(entity: Entity, place: Position, most: int) -> str:
    x, y = place
    radius = radius_of(entity.mentions, most)
    return (
        f'<g><title>{_text(entity.name)}</title><circle cx="{x}" cy="{y}" r="{radius}" '
        f'fill="{colour_of(entity.type)}"/></g>'
    )


def _name(entity: Entity, place: Position, most: int) -> str:
    """The name of an entity, above all nodes and lines."""
    x, y = place
    below = round(y + radius_of(entity.mentions, most) + _FONT, 1)
    return f'<text x="{x}" y="{below}" text-anchor="middle">{_text(shortened(entity.name, _LONGEST))}</text>'


def _legend(view: GraphView, language: str) -> list[str]:
    """Legend of the types that are drawn, then the other notes."""
    y = HEAD + HEIGHT + FOOT / 2
    parts, x = [], MARGIN
    for type in dict.fromkeys(entity.type for entity in view.entities):
        title = shortened(text(f"graph.type.{type}", language) if type in ENTITY_TYPES else type, _LONGEST)
        parts.append(f'<rect x="{x:g}" y="{y - 10:g}" width="12" height="12" fill="{colour_of(type)}"/>')
        parts.append(f'<text x="{x + 18:g}" y="{y:g}">{_text(title)}</text>')
        x += 40 + sum(13 if ord(sign) > 0x2E7F else 7.5 for sign in title)
    notes = _text(" · ".join(text(f"graph.picture.{name}", language) for name in _NOTES))
    return [*parts, f'<text x="{MARGIN:g}" y="{y + 20:g}">{notes}</text>']


def _text(words: str) -> str:
    """Escaped, without what XML forbids or what turns the direction of writing."""
    kept = (sign if sign.isprintable() else " " for sign in words)
    return escape("".join(kept))
