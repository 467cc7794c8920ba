"""Why two entities are connected: the relations between them and the passages that mention both."""

from collections.abc import Callable

import streamlit as st

from core.domain.knowledge import Entity, Relation
from core.domain.passages import Passage
from core.errors import NotFoundError
from core.kg import editing
from core.kg.cooccurrence import CO_OCCURS
from pages.components.documents.link import open_document
from pages.components.documents.quote import around, quote_html
from pages.components.graph.ask import ask_button
from pages.components.graph.edits import may_change, record
from pages.components.graph.seen import seen
from pages.components.graph.state import clear_edge, walk_to
from pages.components.graph.types import entity_label
from pages.components.shell.language import t
from pages.components.shell.text import html_of, label, markdown_of

EVIDENCE = 6
PLACES = 3
MOST_COUNTED = 1_000
"""Passages that mention both; more are not counted."""
CLOSE = 0.2
"""Weight a passage from which few other names stand beside the two: a passage with n entities gives 1 / (n - 1)."""


def edge_panel(source_id: str, target_id: str) -> None:
    graph = seen().graph
    try:
        ends = graph.entity(source_id), graph.entity(target_id)
    except NotFoundError:
        st.info(t("graph.gone"), icon=":material/link_off:")
        return
    _header(ends)
    shared = graph.shared_chunks(source_id, target_id, MOST_COUNTED)
    for relation in graph.relations_between([source_id, target_id]):
        st.caption(relation_sentence(relation, ends, len(shared)))
    ask_button(ends)
    passages = seen().library.passages.get(shared[:EVIDENCE])
    if passages:
        st.markdown(f"**{t('graph.edge.evidence')}**")
    for passage in passages:
        _evidence(passage, ends)


def _header(ends: tuple[Entity, Entity]) -> None:
    closable_heading(f"**{t('graph.edge.title')}**", "graph-edge-close", clear_edge)
    with st.container(horizontal=True, gap="xxsmall", key="graph-chips-edge"):
        for entity in ends:
            st.button(entity_label(entity), key=f"edge-end-{entity.id}", on_click=walk_to, args=(entity.id,))


def relation_sentence(relation: Relation, ends: tuple[Entity, Entity], passages: int) -> str:
    """passages: how many mention both."""
    if relation.relation == CO_OCCURS:
        crowd = t("graph.edge.few" if relation.weight >= CLOSE * max(passages, 1) else "graph.edge.many")
        together = "graph.edge.together_one" if passages < 2 else "graph.edge.together"
        return t(together, count=passages, crowd=crowd)
    names = {entity.id: markdown_of(entity.name) for entity in ends}
    return t(
        "graph.edge.stated",
        source=names[relation.source_id],
        relation=markdown_of(relation.relation),
        target=names[relation.target_id],
        places="; ".join(_places(relation)),
    )


def _places(relation: Relation) -> list[str]:
    """First pages that state the relation, by document."""
    library = seen().library
    names = {document_id: library.documents.get(document_id).name for document_id, _ in relation.pages[:PLACES]}
    return [
        t("graph.panel.page", document=markdown_of(label(names[document_id], 60)), page=page + 1)
        for document_id, page in relation.pages[:PLACES]
    ]


def _evidence(passage: Passage, ends: tuple[Entity, Entity]) -> None:
    chunk = passage.chunk
    names = [name for entity in ends for name in (entity.name, *entity.aliases)]
    place = t("graph.panel.page", document=label(passage.document_name, 60), page=chunk.page + 1)
    with st.container(border=True, gap="xsmall", key=f"evidence-{chunk.id}"):
        st.html(f'<p class="gt-sentence">{quote_html(around(chunk.text, ends[0].name), names)}</p>')
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", wrap=False):
            st.html(f'<span class="gt-quiet">{html_of(place)}</span>')
            with st.container(horizontal=True, gap="small", width="content"):
                if st.button(t("graph.panel.open_document"), type="tertiary", key=f"evidence-open-{chunk.id}"):
                    open_document(chunk.document_id, chunk.page, chunk.id)
                if may_change(ends[0].base_id):
                    _reject(chunk.id, ends)


def _reject(chunk_id: str, ends: tuple[Entity, Entity]) -> None:
    rejected = st.button(
        "", icon=":material/link_off:", type="tertiary", help=t("graph.edge.reject"), key=f"evidence-reject-{chunk_id}"
    )
    if rejected and record(ends[0].base_id, lambda: [editing.reject(*ends, chunk_id)]):
        st.rerun()


def closable_heading(words: str, key: str, on_close: Callable[[], None]) -> None:
    """words: Markdown."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", wrap=False):
        st.markdown(words)
        close = t("graph.panel.close")
        st.button("", icon=":material/close:", type="tertiary", help=close, key=key, on_click=on_close)
