"""Search for entities by name, with suggestions while typing, most mentioned first."""

from collections.abc import Callable, Collection, Sequence
from functools import cache
from itertools import zip_longest
from typing import Any

import streamlit as st

from core.graph.model import Entity, Relation
from core.graph.patterns import RelationPattern, fitting_relations, is_broken_pattern, relation_pattern, unknown_ends
from pages.components.graph.route import ASSETS
from pages.components.graph.seen import seen
from pages.components.graph.state import MAX_LINKED, look_at_edge, show_only, walk_to
from pages.components.graph.types import entity_label, type_title
from pages.components.shell.language import t
from pages.components.shell.text import markdown_of
from pages.components.shell.widgets import search_field

KEY = "graph-search"
SUGGESTIONS = 10
FEW = 3
"""With fewer names found by their letters, names of similar meaning are added."""
MAX_QUERY = 120
_CHOSEN = f"{KEY}-chosen"


@st.fragment
def graph_search(base_id: str, types: Sequence[str]) -> None:
    """Draw the field and its suggestions; a choice moves the drawing to the entity."""
    if st.session_state.pop(_CHOSEN, False):
        st.rerun()
    query = search_field(t("graph.search"), KEY, t("graph.search_hint")).strip()[:MAX_QUERY]
    if pattern := relation_pattern(query):
        _suggest_relations(base_id, query, pattern)
    elif query:
        _suggest(base_id, query, types)


def _suggest(base_id: str, query: str, types: Sequence[str]) -> None:
    of_types = [seen().graph.search(base_id, query, SUGGESTIONS, type_name) for type_name in types or ("",)]
    found = [entity for places in zip_longest(*of_types) for entity in places if entity][:SUGGESTIONS]
    is_pattern = is_broken_pattern(query)
    alike = _alike(base_id, query, types, found) if len(found) < FEW and not is_pattern else []
    with st.container(gap=None, key="graph-suggestions"):
        if not found and not alike:
            st.caption(t("graph.search_no_pattern" if is_pattern else "graph.search_nothing"))
        for entity in found:
            _suggestion(entity)
        if alike:
            st.caption(t("graph.search_also" if found else "graph.search_alike"))
        for entity in alike:
            _suggestion(entity)


def _suggest_relations(base_id: str, query: str, pattern: RelationPattern) -> None:
    """Draw matching stated relations; Enter draws all of them."""
    entities = {entity.id: entity for entity in seen().graph.every(base_id)}
    found = fitting_relations(pattern, seen().graph.stated_relations(base_id), entities)
    with st.container(gap=None, key="graph-suggestions"):
        if not found:
            why_nothing(base_id, query)
            return
        ends = list(dict.fromkeys(id for each in found for id in (each.source_id, each.target_id)))[:MAX_LINKED]
        st.button(
            _draw_words(found, ends),
            icon=":material/hub:",
            key="found-all",
            type="tertiary",
            width="stretch",
            on_click=_leave_with,
            args=(show_only, ends),
        )
        for number, each in enumerate(found[:SUGGESTIONS]):
            source, target = (markdown_of(entities[id].name, 40) for id in (each.source_id, each.target_id))
            st.button(
                f"{source} — {markdown_of(each.relation, 40)} → {target}",
                key=f"found-relation-{number}",
                type="tertiary",
                width="stretch",
                on_click=_leave_with,
                args=(look_at_edge, each.source_id, each.target_id),
            )


def why_nothing(base_id: str, query: str) -> None:
    """Say why no relation fits a query that is meant as a pattern."""
    pattern = relation_pattern(query)
    if pattern is None:
        st.caption(t("graph.search_no_pattern"))
        return
    for end in unknown_ends(pattern, seen().graph.every(base_id)):
        st.caption(t("graph.search_unknown", end=markdown_of(end, 60)))
    st.caption(t("graph.search_unstated"))


def _draw_words(found: Sequence[Relation], drawn: Collection[str]) -> str:
    """drawn: ids of the entities for which there is room."""
    shown = sum({each.source_id, each.target_id} <= set(drawn) for each in found)
    if shown < len(found):
        return t("graph.search_draw_some", shown=shown, count=len(found))
    return t("graph.search_draw", count=len(found))


def _leave_with(act: Callable[..., None], *args: object) -> None:
    """Run an action and empty the field."""
    st.session_state[KEY] = ""
    st.session_state[_CHOSEN] = True
    act(*args)


def _alike(base_id: str, query: str, types: Sequence[str], found: Sequence[Entity]) -> list[Entity]:
    """Entities of similar meaning, in any language, without those found by their letters."""
    known = {entity.id for entity in found}
    near = seen().graph.alike(base_id, query, SUGGESTIONS, any_script=True)
    return [entity for entity in near if entity.id not in known and (not types or entity.type in types)]


def _suggestion(entity: Entity) -> None:
    st.button(
        entity_label(entity, f"{type_title(entity.type)} · {entity.mentions}"),
        key=f"found-{entity.id}",
        type="tertiary",
        width="stretch",
        on_click=_leave_with,
        args=(walk_to, entity.id),
    )


def search_keys() -> None:
    """Add the keys of the field: Enter takes the first suggestion, Escape closes the list."""
    with st.container(key="graph-keys"):
        _keys()(key=f"{KEY}-keys")


@cache
def _keys() -> Callable[..., Any]:
    return st.components.v2.component("graph_search_keys", js=(ASSETS / "search.js").read_text(encoding="utf-8"))
