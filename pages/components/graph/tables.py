"""The graph as tables: the entities and relations that the filters leave, with the same selection and edits."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.graph.edits import GraphEdit
from core.graph.files.csv_files import entities_csv, relations_csv
from core.graph.model import ENTITY_TYPES, Entity, Relation
from core.graph.network.cooccurrence import CO_OCCURS
from core.graph.resolution import editing
from pages.components.graph.edits import may_change, record
from pages.components.graph.scope import fitting, of_kind
from pages.components.graph.seen import seen
from pages.components.graph.state import MAX_QUERY, GraphState, find, look_at_edge, select
from pages.components.graph.types import type_title
from pages.components.shell.downloads import made_on_click
from pages.components.shell.language import t
from pages.components.shell.text import label

if TYPE_CHECKING:
    from streamlit.elements.arrow import DataframeStateInput

ROWS = 5_000
"""Entities of a table; more of them are counted and left to the filters."""
RELATED = 1_000
"""Of the entities, those whose relations are listed, most mentioned first."""
HEIGHT = 560
NAME_WIDTH, RELATION_WIDTH = 170, 140
"""Pixels."""
FOUND = 20
"""Of those that a search finds, the first so many are listed with their relations to all others."""
PICKED, FIRST = "graph-table-picked-", "graph-table-first-"
"""Session keys of what was last chosen in a table or elsewhere, and of what stands first in it."""
TICKED = "graph-table-ticked"
"""Session key of a table and the entities whose rows were ticked in it."""
FILTER = "graph-table-filter"


def entity_table(base_id: str, state: GraphState) -> None:
    found = _listed(base_id, state)
    first = _first("entity", state.selected)
    found.sort(key=lambda entity: entity.id != first)
    shown = found[:ROWS]
    st.caption(t("graph.scope.entities", shown=f"{len(shown):,}", total=f"{len(found):,}"))
    links, centrality = _centrality(base_id)
    columns = {
        t("graph.table.name"): [label(entity.name) for entity in shown],
        t("graph.edit.type"): [type_title(entity.type) for entity in shown],
        t("graph.panel.mentions"): [entity.mentions for entity in shown],
        t("graph.table.links"): [links.get(entity.id, 0) for entity in shown],
        t("graph.table.centrality"): [centrality.get(entity.id, 0.0) for entity in shown],
        t("graph.table.documents"): [entity.documents for entity in shown],
        t("graph.table.aliases"): [", ".join(label(alias, 60) for alias in entity.aliases) for entity in shown],
    }
    key = f"graph-entities-{hash(tuple(entity.id for entity in shown))}"
    st.dataframe(
        columns,
        key=key,
        height=HEIGHT,
        hide_index=True,
        on_select=partial(_take_entity, key, shown),
        selection_mode="multi-row",
        selection_default=_marked(bool(shown) and shown[0].id == first),
    )
    chosen = [shown[row] for row in _rows(key) if row < len(shown)]
    if chosen and may_change(base_id):
        bulk_actions(base_id, chosen)
    _download(base_id, "kg_entities_filtered.csv", partial(entities_csv, found))


def _centrality(base_id: str) -> tuple[dict[str, int], dict[str, float]]:
    """By entity, with how many others it is related, and its PageRank in per cent of the greatest."""
    whole = seen().whole_graphs.whole(base_id)
    ids = [entity.id for entity in whole.entities]
    ranks = (round(100 * rank, 1) for rank in whole.centrality)
    return dict(zip(ids, whole.links, strict=True)), dict(zip(ids, ranks, strict=True))


def relation_table(base_id: str, state: GraphState) -> None:
    entities = _listed(base_id, state)
    related = entities[:RELATED]
    others = _beside(base_id, state, related) if state.find else []
    names = {entity.id: label(entity.name) for entity in (*related, *others)}
    every = of_kind(seen().graph.relations_between(list(names)), state.scope.relations)
    found = {entity.id for entity in related}
    every = [each for each in every if each.source_id in found or each.target_id in found]
    first = _first("relation", " ".join(sorted(state.edge or ())))
    every.sort(key=lambda each: _ends(each) != first)
    shown = every[:ROWS]
    st.caption(t("graph.scope.relations", shown=f"{len(shown):,}", total=f"{len(every):,}"))
    if len(related) < len(entities):
        st.caption(t("graph.table.related", count=f"{RELATED:,}"))
    columns = {
        t("graph.table.source"): [names[each.source_id] for each in shown],
        t("graph.table.relation"): [_words(each) for each in shown],
        t("graph.table.target"): [names[each.target_id] for each in shown],
        t("graph.table.strength"): [round(each.weight, 3) for each in shown],
        t("graph.table.pages"): [len(each.pages) for each in shown],
    }
    key = f"graph-relations-{hash(tuple((each.source_id, each.target_id) for each in shown))}"
    st.dataframe(
        columns,
        key=key,
        height=HEIGHT,
        hide_index=True,
        column_config=_relation_columns(),
        on_select=partial(_take_relation, key, shown),
        selection_mode="single-row",
        selection_default=_marked(bool(shown) and _ends(shown[0]) == first),
    )
    _download(base_id, "kg_relations_filtered.csv", partial(relations_csv, every, names))


def _relation_columns() -> dict[str, Any]:
    """Names get room on narrow screens too, where the table scrolls sideways."""
    text = st.column_config.TextColumn
    strength = st.column_config.NumberColumn(help=t("graph.table.strength_help"))
    widths = {"source": NAME_WIDTH, "relation": RELATION_WIDTH, "target": NAME_WIDTH}
    texts = {t(f"graph.table.{name}"): text(width=width) for name, width in widths.items()}
    return {**texts, t("graph.table.strength"): strength}


def _take_entity(key: str, shown: Sequence[Entity]) -> None:
    """The row that was ticked last is looked at; several are for what is done with all of them."""
    ids = [shown[row].id for row in _rows(key) if row < len(shown)]
    table, before = st.session_state.get(TICKED, ("", ()))
    known = before if table == key else [st.session_state.get(FIRST + "entity", "")]
    st.session_state[TICKED] = key, ids
    ticked = ids if len(ids) == 1 else [id for id in ids if id not in known]
    if len(ticked) == 1:
        st.session_state[PICKED + "entity"] = ticked[0]
        select(ticked[0])


def _take_relation(key: str, shown: Sequence[Relation]) -> None:
    for row in _rows(key):
        if row < len(shown):
            st.session_state[PICKED + "relation"] = _ends(shown[row])
            look_at_edge(shown[row].source_id, shown[row].target_id)


def _first(kind: str, chosen: str) -> str:
    """What was chosen elsewhere and stands first. What is picked in the table leaves the order of its rows alone."""
    if chosen != st.session_state.get(PICKED + kind, ""):
        st.session_state[PICKED + kind] = st.session_state[FIRST + kind] = chosen
    first: str = st.session_state.get(FIRST + kind, "")
    return first


def _marked(first: bool) -> "DataframeStateInput | None":
    return {"selection": {"rows": [0], "columns": [], "cells": []}} if first else None


def _ends(relation: Relation) -> str:
    return " ".join(sorted((relation.source_id, relation.target_id)))


def _beside(base_id: str, state: GraphState, found: Sequence[Entity]) -> list[Entity]:
    """What the filters leave of the entities that those found are related to."""
    graph = seen().graph
    fits = fitting(graph, base_id, state.scope)
    near = [each.entity for entity in found[:FOUND] for each in graph.neighbours(entity.id, 1, RELATED)]
    known = {entity.id for entity in found}
    return [entity for entity in {one.id: one for one in near}.values() if entity.id not in known and fits(entity)]


def _rows(key: str) -> list[int]:
    """Places of the selected rows, as the table was given them, however the reader sorted it."""
    state: Mapping[str, Mapping[str, list[int]]] = st.session_state.get(key) or {}
    return list(state.get("selection", {}).get("rows", ()))


def _listed(base_id: str, state: GraphState) -> list[Entity]:
    """All that the filters leave, most mentioned first, whatever the drawing has room for."""
    st.session_state[FILTER] = query = state.find
    st.text_input(
        t("graph.table.filter"),
        key=FILTER,
        max_chars=MAX_QUERY,
        placeholder=t("graph.table.filter"),
        label_visibility="collapsed",
        on_change=lambda: find(st.session_state[FILTER]),
    )
    graph = seen().graph
    fits = fitting(graph, base_id, state.scope)
    found = graph.search(base_id, query, ROWS) if query else graph.every(base_id)
    return [entity for entity in found if fits(entity)]


def _words(relation: Relation) -> str:
    return t("graph.table.counted") if relation.relation == CO_OCCURS else label(relation.relation)


def bulk_actions(base_id: str, chosen: Sequence[Entity]) -> None:
    """What can be done with several rows at once."""
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="graph-bulk"):
        if len(chosen) > 1:
            st.button(
                t("graph.table.merge", count=len(chosen)),
                icon=":material/merge:",
                help=t("graph.table.merge_help"),
                key="graph-bulk-merge",
                on_click=_do,
                args=(base_id, lambda: [editing.merge(chosen[0], chosen[1:])]),
            )
        key = f"graph-bulk-type-{len(chosen)}-{chosen[0].id}"
        st.selectbox(
            t("graph.edit.type"),
            list(ENTITY_TYPES),
            index=None,
            format_func=type_title,
            accept_new_options=True,
            placeholder=t("graph.table.retype"),
            label_visibility="collapsed",
            key=key,
            width=220,
            on_change=_do,
            args=(base_id, lambda: [editing.retype(chosen, st.session_state[key] or "")]),
        )
        st.button(
            t("graph.table.delete", count=len(chosen)),
            icon=":material/delete:",
            key="graph-bulk-delete",
            on_click=_do,
            args=(base_id, lambda: [editing.delete(chosen)]),
        )


def _do(base_id: str, make: Callable[[], Sequence[GraphEdit]]) -> None:
    record(base_id, make)


def _download(base_id: str, name: str, data: Callable[[], bytes]) -> None:
    st.download_button(
        t("graph.table.download"),
        made_on_click(data, "graph.exported", base_id),
        file_name=name,
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
        key=f"download-{name}",
    )
