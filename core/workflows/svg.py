"""A workflow's drawing as SVG: the active node lit, those already visited filled, loops on the left."""

from collections.abc import Collection, Mapping
from html import escape

from core.workflows.drawing import Drawing, DrawnEdge, DrawnNode

WIDTH, HEIGHT = 150, 30
"""Of a node's box, in pixels."""
STEP_X, STEP_Y = 190, 62
LEFT, TOP = 80, 14
"""Room for loops on the left."""
RIGHT = 70
"""Room for arrows that pass by on the right."""
MAX_LABEL = 24


def svg(
    drawing: Drawing,
    labels: Mapping[str, str],
    active: str = "",
    visited: Collection[str] = (),
    description: str = "",
) -> str:
    """labels are the names of nodes and outcomes for a person, by their technical name. Colours follow the text's."""
    columns = 1 + max(node.column for node in drawing.nodes)
    width = LEFT + (columns - 1) * STEP_X + WIDTH + RIGHT
    height = TOP * 2 + (drawing.levels - 1) * STEP_Y + HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" class="workflow" role="img" '
        f'aria-label="{escape(description)}" font-size="12" font-family="inherit" fill="none" stroke="currentColor">',
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0 0 8 4 0 8z" fill="currentColor" stroke="none"/></marker></defs>',
        *(_edge(drawing, edge, labels, at) for at, edge in enumerate(drawing.edges)),
        *(_node(node, labels, node.name == active, node.name in visited) for node in drawing.nodes),
        "</svg>",
    ]
    return "".join(parts)


def _node(node: DrawnNode, labels: Mapping[str, str], is_active: bool, is_visited: bool) -> str:
    x, y = _corner(node)
    state = "active" if is_active else "visited" if is_visited else "waiting"
    fill = {"active": "0.35", "visited": "0.12", "waiting": "0"}[state]
    label = escape(_short(labels.get(node.name, node.name)))
    return (
        f'<g class="node {state}" data-node="{escape(node.name)}"><title>{escape(node.name)}</title>'
        f'<rect x="{x}" y="{y}" width="{WIDTH}" height="{HEIGHT}" rx="8" fill="currentColor" fill-opacity="{fill}" '
        f'stroke-width="{2.5 if is_active else 1}"/>'
        f'<text x="{x + WIDTH / 2}" y="{y + HEIGHT / 2 + 4}" text-anchor="middle" fill="currentColor" stroke="none">'
        f"{label}</text></g>"
    )


def _edge(drawing: Drawing, edge: DrawnEdge, labels: Mapping[str, str], at: int) -> str:
    source, target = drawing.place(edge.source), drawing.place(edge.target)
    path, label_x, label_y, anchor = _way(source, target, edge.back, at)
    words = escape(" / ".join(labels.get(outcome, outcome) for outcome in edge.outcomes))
    dashes = ' stroke-dasharray="4 3"' if edge.back else ""
    drawn = f'<path d="{path}" stroke-opacity="0.55" marker-end="url(#tip)"{dashes}/>'
    if not words:
        return drawn
    text = f'<text x="{label_x}" y="{label_y}" text-anchor="{anchor}" font-size="10" fill="currentColor" stroke="none">'
    return f'<g class="edge">{drawn}{text}{words}</text></g>'


def _way(source: DrawnNode, target: DrawnNode, back: bool, at: int) -> tuple[str, float, float, str]:
    """The path of an arrow, and where its label stands and how it is anchored."""
    (x, y), (to_x, to_y) = _corner(source), _corner(target)
    if back:
        bend = x - 26 - 9 * (at % 4)
        start, end = y + HEIGHT * 0.5, to_y + HEIGHT * (0.35 + 0.1 * (at % 4))
        return f"M{x} {start} C{bend} {start} {bend} {end} {to_x} {end}", x - 4, start - 5, "end"
    if target.level == source.level + 1:
        start, end = x + WIDTH / 2, to_x + WIDTH / 2
        below = y + HEIGHT
        middle = (below + to_y) / 2
        path = f"M{start} {below} C{start} {middle} {end} {middle} {end} {to_y}"
        return path, end + 6, middle + 2 if start == end else to_y - 10, "start"
    side = max(x, to_x) + WIDTH + 18 + 8 * (at % 5)
    start, end = y + HEIGHT * 0.6, to_y + HEIGHT * 0.4
    path = f"M{x + WIDTH} {start} C{side} {start} {side} {start} {side} {start + 26} L{side} {end - 26}"
    path += f" C{side} {end} {side} {end} {to_x + WIDTH} {end}"
    return path, x + WIDTH + 6, start - 5, "start"


def _corner(node: DrawnNode) -> tuple[float, float]:
    return LEFT + node.column * STEP_X, TOP + node.level * STEP_Y


def _short(label: str) -> str:
    return label if len(label) <= MAX_LABEL else f"{label[: MAX_LABEL - 1]}…"
