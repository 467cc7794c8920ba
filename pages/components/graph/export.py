"""The whole graph as files to take away; each is made when its button is clicked."""

from collections.abc import Callable
from functools import partial
from io import BytesIO, StringIO
from typing import TYPE_CHECKING

import streamlit as st

from core.kg.files import EDGES, NODES, edge_rows, node_rows, write_rows
from pages.components.graph.csv_files import entities_csv
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label

if TYPE_CHECKING:
    from core.bootstrap.services import Services


def export_buttons(base_id: str) -> None:
    st.caption(t("graph.export.label"))
    files: dict[str, tuple[Callable[..., str | bytes], str]] = {
        NODES: (nodes_json, "application/json"),
        EDGES: (edges_json, "application/json"),
        "kg_graph.graphml": (graphml, "application/xml"),
        "kg_entities.csv": (every_entity, "text/csv"),
    }
    with st.container(horizontal=True, gap="xsmall", key="graph-export"):
        for name, (make, kind) in files.items():
            st.download_button(
                name,
                partial(make, services(), base_id),
                file_name=name,
                mime=kind,
                icon=":material/download:",
                on_click="ignore",
                key=f"export-{name}",
            )


def nodes_json(opened: "Services", base_id: str) -> str:
    text = StringIO()
    write_rows(node_rows(list(opened.graph.all(base_id)), _labels(opened, base_id)), text.write)
    return text.getvalue()


def edges_json(opened: "Services", base_id: str) -> str:
    text = StringIO()
    write_rows(edge_rows(list(opened.graph.all(base_id)), _labels(opened, base_id)), text.write)
    return text.getvalue()


def graphml(opened: "Services", base_id: str) -> bytes:
    """Entities with type, aliases and counts, relations with their weight; for Gephi, yEd, Cytoscape."""
    import networkx as nx

    graph: nx.MultiGraph[str] = nx.MultiGraph()
    entities = [entity for entity, _ in opened.graph.all(base_id)]
    for entity in entities:
        facts = {"type": label(entity.type), "mentions": entity.mentions, "documents": entity.documents}
        aliases = "; ".join(label(alias) for alias in entity.aliases)
        graph.add_node(entity.id, label=label(entity.name), aliases=aliases, **facts)
    for relation in opened.graph.relations_between([entity.id for entity in entities]):
        ends = relation.source_id, relation.target_id
        graph.add_edge(*ends, relation=label(relation.relation), weight=float(relation.weight))
    file = BytesIO()
    nx.write_graphml_xml(graph, file)
    return file.getvalue()


def every_entity(opened: "Services", base_id: str) -> bytes:
    return entities_csv(opened.graph.every(base_id))


def _labels(opened: "Services", base_id: str) -> dict[str, str]:
    return {document.id: document.name for document in opened.library.documents.of_base(base_id)}
