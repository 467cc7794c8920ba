"""Paths between entities: choosing the ends, and the evidence of each step."""

from collections.abc import Sequence
from itertools import pairwise

import streamlit as st

from core.graph.model import Entity
from core.graph.network.network import DETOUR
from pages.components.documents.quote import quote_html
from pages.components.graph.ask import ask_button
from pages.components.graph.edge import MOST_COUNTED, around_both, closable_heading, names_of, relation_sentences
from pages.components.graph.seen import seen
from pages.components.graph.state import GraphState, graph_state, look_at_edge, show_path, walk_to, whole_picture
from pages.components.graph.types import entity_label, type_title
from pages.components.shell.dialogs import dialog
from pages.components.shell.language import t
from pages.components.shell.text import render

FOUND = 8
MAX_QUERY = 120
SENTENCE = 200


def path_button(base_id: str, from_ids: Sequence[str]) -> None:
    """Draw a button that opens the choice of the next entity of the path."""
    if st.button(t("graph.path.to"), icon=":material/route:", key="graph-path"):
        dialog(t("graph.path.title"))(path_form)(base_id, tuple(from_ids))


def path_form(base_id: str, from_ids: tuple[str, ...]) -> None:
    query = st.text_input(
        t("graph.path.other"), key="graph-path-find", type="search", live=True, placeholder=t("graph.search_hint")
    )
    query = (query or "").strip()[:MAX_QUERY]
    strongest = _kind(graph_state().strongest, "graph-path-next-kind")
    found = seen().graph.search(base_id, query, FOUND + 1) if query else []
    others = [entity for entity in found if entity.id not in from_ids][:FOUND]
    if query and not others:
        st.caption(t("graph.search_nothing"))
    with st.container(gap="xxsmall", key="graph-chips-path"):
        for entity in others:
            name = entity_label(entity, type_title(entity.type))
            if st.button(name, key=f"path-to-{entity.id}", type="tertiary"):
                open_path(base_id, (*from_ids, entity.id), strongest)
                st.rerun()


def open_path(base_id: str, entity_ids: Sequence[str], strongest: bool) -> None:
    show_path(entity_ids, strongest, on_way(base_id, entity_ids, strongest))


def on_way(base_id: str, entity_ids: Sequence[str], strongest: bool) -> list[str]:
    """Entities of the path and all between them, without duplicates."""
    legs = seen().graph.path(base_id, entity_ids, strongest)
    return list(dict.fromkeys([*entity_ids, *(entity.id for leg in legs for entity in leg)]))


def _kind(strongest: bool, key: str) -> bool:
    kinds = ("shortest", "strongest")
    chosen = st.segmented_control(
        t("graph.path.kind"),
        kinds,
        default=kinds[strongest],
        required=True,
        format_func=lambda kind: t(f"graph.path.{kind}"),
        label_visibility="collapsed",
        key=key,
    )
    return chosen == "strongest"


def path_panel(base_id: str, state: GraphState) -> None:
    legs = seen().graph.path(base_id, state.path, state.strongest)
    ends = [leg[place] for leg in legs if leg for place in (0, -1)]
    closable_heading(f"**{t('graph.path.heading')}**", "graph-path-close", whole_picture)
    strongest = _kind(state.strongest, "graph-path-kind")
    if strongest != state.strongest:
        open_path(base_id, state.path, strongest)
        st.rerun()
    if not strongest:
        st.caption(t("graph.path.detour", steps=f"{DETOUR:g}"))
    for number, leg in enumerate(legs):
        if leg:
            _leg(leg, number, begins=not number or not legs[number - 1])
        else:
            st.info(t("graph.path.none"), icon=":material/link_off:")
    with st.container(horizontal=True, gap="small"):
        if ends:
            ask_button([ends[0], ends[-1]])
        path_button(base_id, state.path)


def _leg(leg: Sequence[Entity], number: int, begins: bool) -> None:
    """Draw a section of the path. begins: whether its first entity is drawn too."""
    if begins:
        _stop(leg[0], number)
    for one, other in pairwise(leg):
        _step(one, other, number)
        _stop(other, number)


def _stop(entity: Entity, leg: int) -> None:
    key = f"stop-{leg}-{entity.id}"
    with st.container(horizontal=True, key=f"graph-chips-{key}"):
        st.button(entity_label(entity), key=key, on_click=walk_to, args=(entity.id,))


def _step(one: Entity, other: Entity, leg: int) -> None:
    """Draw the relation of two neighbours on the path, with the first passage that mentions both."""
    graph = seen().graph
    key = f"step-{leg}-{one.id}-{other.id}"
    with st.container(border=True, gap="xsmall", key=key):
        shared = graph.shared_chunks(one.id, other.id, MOST_COUNTED)
        relations = graph.relations_between([one.id, other.id])
        for words in relation_sentences(relations, (one, other), len(shared))[:2]:
            st.caption(words)
        for passage in seen().library.passages.get(shared[:1]):
            words = around_both(passage.chunk.text, one, other, SENTENCE)
            quoted = quote_html(words, [*names_of(one), *names_of(other)])
            st.html(render("graph/graph.html", "sentence", words=quoted))
        st.button(
            t("graph.path.evidence"),
            type="tertiary",
            key=f"{key}-evidence",
            on_click=look_at_edge,
            args=(one.id, other.id),
        )
