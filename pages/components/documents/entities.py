"""The Entities tab: the document's entities, most mentioned first, with links into the graph."""

from collections import Counter

import streamlit as st

from core.documents.model import Document
from core.graph.model import Entity
from pages.components.graph.state import ENTITIES, ENTITY
from pages.components.graph.types import entity_label, type_sign, type_title
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import markdown_of

LISTED = 24
IN_GRAPH = 60


def entity_list(document: Document) -> None:
    ranked = of_document(document)
    if not ranked:
        st.caption(t("documents.entities.nothing"))
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(t("documents.entities.explain", count=f"{len(ranked):,}"), width="content")
        if st.button(t("documents.entities.graph"), icon=":material/hub:", key="document-graph"):
            chosen = ",".join(entity.id for entity, _ in ranked[:IN_GRAPH])
            st.switch_page("pages/graph.py", query_params={ENTITIES: chosen})
    groups: dict[str, list[tuple[Entity, int]]] = {}
    for entity, count in ranked:
        groups.setdefault(entity.type, []).append((entity, count))
    for type_name, rows in sorted(groups.items(), key=lambda group: -len(group[1])):
        st.markdown(f"{type_sign(type_name)} **{markdown_of(type_title(type_name))}** :small[:gray[{len(rows)}]]")
        _chips(type_name, rows)


def of_document(document: Document) -> list[tuple[Entity, int]]:
    """(entity, chunks of this document that mention it), most first."""
    chunk_ids = [chunk.id for chunk in services().library.passages.chunks(document.id)]
    counts: Counter[str] = Counter()
    entities: dict[str, Entity] = {}
    for found in services().graph.of_chunks(chunk_ids).values():
        for entity in found:
            counts[entity.id] += 1
            entities[entity.id] = entity
    return sorted(
        ((entities[key], count) for key, count in counts.items()), key=lambda row: (-row[1], row[0].name, row[0].id)
    )


def _chips(type_name: str, rows: list[tuple[Entity, int]]) -> None:
    opened = st.session_state.get(f"entities-{type_name}", False)
    listed = rows if opened else rows[:LISTED]
    with st.container(horizontal=True, gap="xxsmall", key=f"graph-chips-{type_name}"):
        for entity, count in listed:
            if st.button(entity_label(entity, str(count)), key=f"entity-{entity.id}"):
                st.switch_page("pages/graph.py", query_params={ENTITY: entity.id})
    if len(rows) > len(listed):
        words = t("graph.panel.all_neighbours", count=len(rows) - len(listed))
        st.button(words, type="tertiary", key=f"more-{type_name}", on_click=_open_all, args=(type_name,))


def _open_all(type_name: str) -> None:
    st.session_state[f"entities-{type_name}"] = True
