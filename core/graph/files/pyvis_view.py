"""Part of the knowledge graph as a single HTML page, built by pyvis from untrusted names.

pyvis collects nodes, edges and options; they are rendered into our own template, because pyvis's loads two content
delivery networks and writes titles as HTML. Names are passed as JSON data and never become markup.
"""

import math
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from core.graph.model import ENTITY_TYPES, Entity, GraphView, Relation
from core.graph.naming import one_line
from core.graph.network.cooccurrence import CO_OCCURS
from core.platform.plain_text import shortened

Position = tuple[float, float]

MAX_NODES = 500
"""vis-network drags 500 nodes at about 50 frames a second on two cores; 2,000 at 15."""
MAX_NAME = 120
OTHER_TYPE = "OTHER"
_SPACING = 95.0
_GAP = 22.0
"""Distance between two nodes in the unit of their sizes, with room for a name."""
_MOST_STRETCHED = 1.8
"""Limit of the factor by which the narrow side of a drawing is widened to fill its frame."""
_PUSHES = 60
_LOOKED_AFTER = 4
"""Pushes after which neighbours are recomputed."""
_OPTIONS: dict[str, Any] = {
    "physics": {"enabled": False},
    "layout": {"improvedLayout": False},
    "nodes": {"shape": "dot", "borderWidth": 1.5, "chosen": False},
    "edges": {"smooth": False, "chosen": False, "selectionWidth": 0, "hoverWidth": 0},
    "interaction": {
        "hover": True,
        "multiselect": False,
        "selectConnectedEdges": False,
        "hideEdgesOnDrag": False,
        "keyboard": {"enabled": False},
        "tooltipDelay": 120,
    },
}


class PyvisDrawing:
    """A part of the graph as a page of its own for the browser."""

    def page(
        self,
        view: GraphView,
        positions: Sequence[Position],
        lines: int,
        groups: Sequence[int] = (),
        sizes: Sequence[float] = (),
    ) -> str:
        """HTML in which names are data, never markup; positions has one (x, y) an entity, in any unit.

        The first `lines` relations are always drawn, the others with the selected entity that they belong to.
        sizes: a measure an entity, 0 or more, in place of its mentions.
        groups: a number an entity, from 0; they are coloured by it instead of by their types, -1 by none.
        It loads view.css, view.js and vis-network.min.js from assets/ beside it. Raises ValueError if it is too large.
        """
        if len(view.entities) > MAX_NODES:
            raise ValueError(f"{len(view.entities)} entities are too many to draw; at most {MAX_NODES}")
        import pyvis.network

        network: Any = pyvis.network.Network(directed=True)  # type: ignore[no-untyped-call]  # undirected is slow
        network.set_template_dir(str(Path(__file__).parent), Path(__file__).with_suffix(".html").name)
        network.options = _OPTIONS
        nodes = _nodes(view.entities, sizes or [entity.mentions for entity in view.entities])
        for node, group in zip(nodes, groups, strict=False):
            node["community"] = group
        for node, (x, y) in zip(nodes, spread(positions, [node["size"] for node in nodes]), strict=True):
            network.add_node(node.pop("id"), x=x, y=y, **node)
        for edge in _edges(view.relations, lines):
            network.add_edge(edge.pop("from"), edge.pop("to"), arrows="", **edge)
        return str(network.generate_html())

    def warm(self) -> None:
        """Loads the libraries that the first page would otherwise wait for."""
        import pyvis.network  # noqa: F401  # a second or more: it brings IPython along

    def script(self) -> Path:
        """The file that is served as vis-network.min.js."""
        package = find_spec("pyvis")
        if package is None or package.origin is None:
            raise FileNotFoundError("pyvis is not installed")
        return Path(package.origin).parent / "templates" / "lib" / "vis-9.1.2" / "vis-network.min.js"


def _readable(name: str) -> str:
    """One line without control or direction characters, at most MAX_NAME long."""
    return shortened(one_line(name) or "?", MAX_NAME)


def _nodes(entities: Sequence[Entity], sizes: Sequence[float]) -> list[dict[str, Any]]:
    most = max(sizes, default=1) or 1
    return [
        {
            "id": entity.id,
            "label": _readable(entity.name),
            "group": entity.type if entity.type in ENTITY_TYPES else OTHER_TYPE,
            "size": round(7 + 21 * math.sqrt(size / most), 1),
            "mentions": entity.mentions,
        }
        for entity, size in zip(entities, sizes, strict=True)
    ]


def _edges(relations: Sequence[Relation], lines: int) -> list[dict[str, Any]]:
    strongest = max((r.weight for r in relations), default=1.0) or 1.0
    return [
        {
            "from": r.source_id,
            "to": r.target_id,
            "width": round(0.6 + 4.4 * math.sqrt(max(r.weight, 0.0) / strongest), 2),
            "hidden": index >= lines,
            "verb": "" if r.relation == CO_OCCURS else _readable(r.relation),
        }
        for index, r in enumerate(relations)
    ]


def spread(positions: Sequence[Position], radii: Sequence[float]) -> list[Position]:
    """Positions scaled to about _SPACING units per node, then pushed apart until no node covers another."""
    import numpy as np

    if not positions:
        return []
    places = np.asarray(positions, dtype=float)
    places -= (places.max(axis=0) + places.min(axis=0)) / 2
    extents = np.maximum(np.ptp(places, axis=0), 1e-9)
    places *= _SPACING * math.sqrt(len(places)) / float(extents.max())
    places *= np.minimum(extents.max() / extents, _MOST_STRETCHED)
    turn = np.arange(len(places))
    places += np.stack([np.cos(turn), np.sin(turn)], axis=1)  # two on one spot have a direction to go apart
    sizes = np.asarray(radii, dtype=float)
    wanted = sizes[:, None] + sizes[None, :] + _GAP
    near = np.triu(np.ones_like(wanted, dtype=bool), k=1)
    for step in range(_PUSHES):
        if step % _LOOKED_AFTER == 0:
            dx, dy = (axis[:, None] - axis[None, :] for axis in places.T)
            one, other = np.nonzero(near & (dx * dx + dy * dy < (wanted + _GAP) ** 2))
            reach = wanted[one, other]
        away = places[one] - places[other]
        distance = np.maximum(np.hypot(*away.T), 1e-6)
        push = away * (np.maximum(reach - distance, 0.0) / distance * 0.35)[:, None]
        if not push.any():
            break
        for axis, pushed in enumerate(push.T):
            places[:, axis] += np.bincount(one, pushed, len(places)) - np.bincount(other, pushed, len(places))
    return [(round(float(x), 1), round(float(y), 1)) for x, y in places]
