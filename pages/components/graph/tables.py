"""The graph as tables: the entities and relations that the filters leave, with the same selection and edits."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from core.graph.files.network_files import entities_csv, relations_csv
from core.graph.model import Entity, Relation
from core.graph.network.cooccurrence import CO_OCCURS
from core.graph.patterns import fitting_relations, is_broken_pattern, relation_pattern
from core.graph.scope import STATED, between, fitting, of_kind
from pages.components.graph.bulk import entity_actions, relation_actions
from pages.components.graph.edits import may_change
from pages.components.graph.search import why_nothing
from pages.components.graph.seen import seen
from pages.components.graph.state import MAX_QUERY, GraphState, bound, change, look_at_edge, select
from pages.components.graph.types import type_title
from pages.components.shell.downloads import download_button
from pages.components.shell.language import joined, t
from pages.components.shell.text import label

if TYPE_CHECKING:
    from streamlit.elements.arrow import DataframeStateInput

ROWS = 5_000
"""Limit of the rows of a table."""
RELATED = 1_000
"""Limit of entities whose relations are listed, most mentioned first."""
HEIGHT = 560
NAME_WIDTH, RELATION_WIDTH = 170, 140
"""Widths in pixels."""
FOUND = 20
"""Number of found entities whose relations to all others are listed."""
PICKED, FIRST = "graph-table-picked-", "graph-table-first-"
"""Session keys of the last selection in a table or elsewhere, and of its first row."""
TICKED = "graph-table-ticked-"
"""Session key of a table and its ticked rows."""


def entity_table(base_id: str, state: GraphState) -> None:
    found = _listed(base_id, state)
    first = _first("entity", state.selected)
    found.sort(key=lambda entity: entity.id != first)
    shown = found[:ROWS]
    st.caption(t("graph.scope.entities", shown=f"{len(shown):,}", count=f"{seen().graph.stats(base_id).entities:,}"))
    links, centrality = _centrality(base_id)
    said = (each for each in seen().graph.stated_relations(base_id) if each.relation != CO_OCCURS)
    stated = Counter(end for each in said for end in (each.source_id, each.target_id))
    columns = {
        t("graph.table.name"): [label(entity.name) for entity in shown],
        t("graph.edit.type"): [type_title(entity.type) for entity in shown],
        t("graph.panel.mentions"): [entity.mentions for entity in shown],
        t("graph.table.links"): [links.get(entity.id, 0) for entity in shown],
        t("graph.table.stated"): [stated[entity.id] for entity in shown],
        t("graph.table.centrality"): [centrality.get(entity.id, 0.0) for entity in shown],
        t("graph.table.documents"): [entity.documents for entity in shown],
        t("graph.table.aliases"): [joined(label(alias, 60) for alias in entity.aliases) for entity in shown],
    }
    widths = {t("graph.table.name"): st.column_config.TextColumn(width=NAME_WIDTH)}
    ids = [entity.id for entity in shown]
    take = partial(_take, "entity", ids, select)
    rows = _table(f"graph-entities-{hash(tuple(ids))}", columns, widths, take, ids[:1] == [first])
    chosen = [shown[row] for row in rows if row < len(shown)]
    if chosen and may_change(base_id):
        entity_actions(base_id, chosen)
    _download(base_id, "kg_entities_filtered.csv", partial(entities_csv, found))


def _centrality(base_id: str) -> tuple[dict[str, int], dict[str, float]]:
    """Number of related entities and PageRank, in per cent of the greatest, by entity."""
    whole = seen().whole_graphs.whole(base_id)
    ids = [entity.id for entity in whole.entities]
    ranks = (round(100 * rank, 1) for rank in whole.centrality)
    return dict(zip(ids, whole.links, strict=True)), dict(zip(ids, ranks, strict=True))


def relation_table(base_id: str, state: GraphState) -> None:
    entities = _listed(base_id, state)
    pattern = relation_pattern(state.find)
    related = entities if pattern or state.scope.relations == STATED else entities[:RELATED]
    others = _beside(base_id, state, related) if state.find and not pattern else []
    ends = {entity.id: entity for entity in (*related, *others)}
    names = {id: label(entity.name) for id, entity in ends.items()}
    stated = seen().graph.stated_relations(base_id) if pattern else []
    every = fitting_relations(pattern, stated, ends) if pattern else _relations_of(base_id, related, ends, state)
    first = _first("relation", " ".join(sorted(state.edge or ())))
    every.sort(key=lambda each: _ends(each) != first)
    shown = every[:ROWS]
    _say_scope(base_id, state, len(shown), is_cut=len(related) < len(entities))
    columns = {
        t("graph.table.source"): [names[each.source_id] for each in shown],
        t("graph.table.relation"): [_words(each) for each in shown],
        t("graph.table.target"): [names[each.target_id] for each in shown],
        t("graph.table.strength"): [round(each.weight, 3) for each in shown],
        t("graph.table.pages"): [len(each.pages) for each in shown],
    }
    directed = {_ends(each): (each.source_id, each.target_id) for each in shown}
    version = tuple((each.source_id, each.target_id) for each in shown)
    take = partial(_take, "relation", [*map(_ends, shown)], lambda ticked: look_at_edge(*directed[ticked]))
    is_marked = bool(shown) and _ends(shown[0]) == first
    rows = _table(f"graph-relations-{hash(version)}", columns, _relation_columns(), take, is_marked)
    chosen = [shown[row] for row in rows if row < len(shown)]
    if chosen and may_change(base_id):
        relation_actions(base_id, chosen, ends)
    _download(base_id, "kg_relations_filtered.csv", partial(relations_csv, every, names))


def _say_scope(base_id: str, state: GraphState, shown: int, *, is_cut: bool) -> None:
    """Say how many relations of how many are listed, and why there is none."""
    total = seen().graph.stats(base_id).relations
    st.caption(t("graph.scope.relations", shown=f"{shown:,}", count=f"{total:,}"))
    if not shown and (relation_pattern(state.find) or is_broken_pattern(state.find)):
        why_nothing(base_id, state.find)
    if is_cut:
        st.caption(t("graph.table.related", count=f"{RELATED:,}"))


def _relations_of(
    base_id: str, related: Sequence[Entity], ends: Mapping[str, Entity], state: GraphState
) -> list[Relation]:
    found = {entity.id for entity in related}
    if state.scope.relations == STATED:
        stated = between(list(seen().graph.stated_relations(base_id)), list(ends.values()))
        every = of_kind(sorted(stated, key=lambda each: -each.weight), STATED)
    else:
        every = of_kind(seen().graph.relations_between(list(ends)), state.scope.relations)
    return [each for each in every if each.source_id in found or each.target_id in found]


def _relation_columns() -> dict[str, Any]:
    """Configuration of the columns; names keep their width on narrow screens, where the table scrolls."""
    text = st.column_config.TextColumn
    strength = st.column_config.NumberColumn(help=t("graph.table.strength_help"))
    widths = {"source": NAME_WIDTH, "relation": RELATION_WIDTH, "target": NAME_WIDTH}
    texts = {t(f"graph.table.{name}"): text(width=width) for name, width in widths.items()}
    return {**texts, t("graph.table.strength"): strength}


def _table(
    key: str, columns: Mapping[str, Any], looks: Mapping[str, Any], take: Callable[[str], None], is_marked: bool
) -> list[int]:
    """Draw a table; returns the indexes of the ticked rows. take: called with its key; is_marked: its first row."""
    st.dataframe(
        columns,
        key=key,
        height=HEIGHT,
        hide_index=True,
        column_config=looks,
        on_select=partial(take, key),
        selection_mode="multi-row",
        selection_default=_marked(is_marked),
    )
    return _rows(key)


def _take(kind: str, ids: Sequence[str], act: Callable[[str], None], key: str) -> None:
    """Look at what was ticked last; several ticked rows are for actions on all of them."""
    if ticked := _newly_ticked(key, ids, kind):
        st.session_state[PICKED + kind] = ticked
        act(ticked)


def _newly_ticked(key: str, ids: Sequence[str], kind: str) -> str:
    """Row ticked since the last run; empty if rows were unticked or there are several."""
    chosen = [ids[row] for row in _rows(key) if row < len(ids)]
    table, before = st.session_state.get(TICKED + kind, ("", ()))
    known = before if table == key else [st.session_state.get(FIRST + kind, "")]
    st.session_state[TICKED + kind] = key, chosen
    ticked = chosen if len(chosen) == 1 else [id for id in chosen if id not in known]
    return ticked[0] if len(ticked) == 1 else ""


def _first(kind: str, chosen: str) -> str:
    """Entity selected elsewhere, which is the first row. A selection in the table keeps the order of the rows."""
    if chosen != st.session_state.get(PICKED + kind, ""):
        st.session_state[PICKED + kind] = st.session_state[FIRST + kind] = chosen
    first: str = st.session_state.get(FIRST + kind, "")
    return first


def _marked(first: bool) -> "DataframeStateInput | None":
    return {"selection": {"rows": [0], "columns": [], "cells": []}} if first else None


def _ends(relation: Relation) -> str:
    return " ".join(sorted((relation.source_id, relation.target_id)))


def _beside(base_id: str, state: GraphState, found: Sequence[Entity]) -> list[Entity]:
    """Filtered entities related to the found ones."""
    graph = seen().graph
    fits = fitting(graph, base_id, state.scope)
    near = [each.entity for entity in found[:FOUND] for each in graph.neighbours(entity.id, 1, RELATED)]
    known = {entity.id for entity in found}
    return [entity for entity in {one.id: one for one in near}.values() if entity.id not in known and fits(entity)]


def _rows(key: str) -> list[int]:
    """Indexes of the selected rows in the original order."""
    state: Mapping[str, Mapping[str, list[int]]] = st.session_state.get(key) or {}
    return list(state.get("selection", {}).get("rows", ()))


def _listed(base_id: str, state: GraphState) -> list[Entity]:
    """All filtered entities, most mentioned first, beyond the limit of the drawing; its centre is filtered, too."""
    query, words = state.find, t("graph.table.filter")
    bond = bound("graph-table-filter", query, lambda typed: change(find=typed.strip()[:MAX_QUERY]))
    st.text_input(words, max_chars=MAX_QUERY, placeholder=words, label_visibility="collapsed", **bond)
    graph = seen().graph
    fits = fitting(graph, base_id, replace(state.scope, centre=()))
    if relation_pattern(query):
        return [entity for entity in graph.every(base_id) if fits(entity)]
    found = graph.search(base_id, query, ROWS) if query else graph.every(base_id)
    return [entity for entity in found if fits(entity)]


def _words(relation: Relation) -> str:
    return t("graph.table.counted") if relation.relation == CO_OCCURS else label(relation.relation)


def _download(base_id: str, name: str, data: Callable[[], bytes]) -> None:
    words, key = t("graph.table.download"), f"download-{name}"
    download_button(words, name, "text/csv", data, "graph.exported", base_id, key=key)
