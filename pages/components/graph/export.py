"""The whole graph as files to take away; each is made when its button is clicked."""

from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING

import streamlit as st

from core.kg import picture
from core.kg.edit_files import EDITS
from core.kg.exports import edges_json, edits_json, jsonld, nodes_json, turtle_file
from core.kg.files import EDGES, NODES
from pages.components.graph.csv_files import entities_csv
from pages.components.graph.drawing import positions_of
from pages.components.graph.scope import Scope, shown
from pages.components.graph.seen import Seen, seen
from pages.components.shell.downloads import made_on_click
from pages.components.shell.language import t
from pages.components.shell.text import label

if TYPE_CHECKING:
    from core.bootstrap.services import Services


Make = Callable[..., str | bytes]


def export_buttons(base_id: str, scope: Scope) -> None:
    whole: dict[str, tuple[Make, str]] = {
        NODES: (nodes_json, "application/json"),
        EDGES: (edges_json, "application/json"),
        "kg_graph.graphml": (graphml, "application/xml"),
        "kg_graph.gexf": (gexf, "application/xml"),
        "kg_graph.jsonld": (jsonld, "application/ld+json"),
        "kg_graph.ttl": (turtle_file, "text/turtle"),
        "kg_entities.csv": (every_entity, "text/csv"),
        EDITS: (edits_json, "application/json"),
    }
    view: dict[str, tuple[Make, str]] = {
        "kg_view.svg": (partial(view_svg, scope=scope), "image/svg+xml"),
        "kg_view.html": (partial(view_html, scope=scope), "text/html"),
    }
    for words, files in ((t("graph.export.label"), whole), (t("graph.export.view"), view)):
        st.caption(words)
        with st.container(horizontal=True, gap="xsmall", key=f"graph-export-{len(files)}"):
            for name, (make, kind) in files.items():
                _button(base_id, name, partial(make, seen(), base_id), kind)


def _button(base_id: str, name: str, make: Make, kind: str) -> None:
    st.download_button(
        name,
        made_on_click(make, "graph.exported", base_id),
        file_name=name,
        mime=kind,
        icon=":material/download:",
        on_click="ignore",
        key=f"export-{name}",
    )


def graphml(opened: "Services | Seen", base_id: str) -> bytes:
    """Entities with type, aliases and counts, relations with their weight; for Gephi, yEd, Cytoscape."""
    return _networkx_file(opened, base_id, "graphml_xml")


def gexf(opened: "Services | Seen", base_id: str) -> bytes:
    """The same for Gephi."""
    return _networkx_file(opened, base_id, "gexf")


def view_svg(opened: "Services | Seen", base_id: str, scope: Scope) -> str:
    part = shown(opened.graph, base_id, scope)
    return picture.svg(part.view, positions_of(part), part.lines)


def view_html(opened: "Services | Seen", base_id: str, scope: Scope) -> str:
    """One file that needs no network and runs no script."""
    part = shown(opened.graph, base_id, scope)
    heads = [t(f"graph.{name}") for name in ("table.name", "edit.type", "panel.mentions", "table.aliases")]
    title = label(opened.library.bases.get(base_id).name)
    return picture.page(part.view, positions_of(part), part.lines, title, heads)


def _networkx_file(opened: "Services | Seen", base_id: str, form: str) -> bytes:
    """form: as networkx names its writers."""
    import networkx as nx

    graph: nx.MultiGraph[str] = nx.MultiGraph()
    entities = opened.graph.every(base_id)
    for entity in entities:
        facts = {"type": label(entity.type), "mentions": entity.mentions, "documents": entity.documents}
        aliases = "; ".join(label(alias) for alias in entity.aliases)
        graph.add_node(entity.id, label=label(entity.name), aliases=aliases, **facts)
    for relation in opened.graph.relations_between([entity.id for entity in entities]):
        ends = relation.source_id, relation.target_id
        graph.add_edge(*ends, relation=label(relation.relation), weight=float(relation.weight))
    file = BytesIO()
    getattr(nx, f"write_{form}")(graph, file)
    return file.getvalue()


def every_entity(opened: "Services | Seen", base_id: str) -> bytes:
    return entities_csv(opened.graph.every(base_id))
