"""Actions on several rows of a table."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import streamlit as st

from core.graph.duplicates.suggestions import best_named
from core.graph.edits import GraphEdit
from core.graph.model import ENTITY_TYPES, Entity, Relation
from core.graph.network.cooccurrence import CO_OCCURS
from core.graph.resolution import editing
from pages.components.graph.edit_dialog import MAX_WORDS, relation_form
from pages.components.graph.edits import record, say_kept
from pages.components.graph.types import type_title
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of

MOST_REJECTED = 1_000
"""Limit of passages that mention both; a pair with more keeps its connection."""


def _do(base_id: str, make: Callable[[], Sequence[GraphEdit]]) -> None:
    record(base_id, make)


def entity_actions(base_id: str, chosen: Sequence[Entity]) -> None:
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="graph-bulk"):
        if len(chosen) > 1:
            keep = best_named(chosen)
            st.button(
                t("graph.table.merge", count=len(chosen), name=markdown_of(keep.name, 40)),
                icon=":material/merge:",
                help=t("graph.table.merge_help"),
                key="graph-bulk-merge",
                on_click=_do,
                args=(base_id, lambda: [editing.merge(keep, chosen)]),
            )
            with st.popover(t("graph.table.relate"), icon=":material/arrow_right_alt:"):
                _relate(chosen)
        _retype(base_id, chosen)
        st.button(
            t("graph.table.delete", count=len(chosen)),
            icon=":material/delete:",
            key="graph-bulk-delete",
            on_click=_do,
            args=(base_id, lambda: [editing.delete(chosen)]),
        )
    if len(chosen) > 1:
        say_kept(best_named(chosen))


def _relate(chosen: Sequence[Entity]) -> None:
    """Draw a form that relates one of the rows to all others."""
    key = f"graph-bulk-hub-{len(chosen)}-{chosen[0].id}"
    places = range(len(chosen))
    one = st.selectbox(t("graph.table.one"), places, format_func=lambda place: label(chosen[place].name, 60), key=key)
    relation_form(chosen[one], [chosen[place] for place in places if place != one], "graph-bulk-relate")


def _retype(base_id: str, chosen: Sequence[Entity]) -> None:
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


def relation_actions(base_id: str, chosen: Sequence[Relation], ends: Mapping[str, Entity]) -> None:
    """Draw actions on relations. ends: entities by id. Co-occurrence can only be removed by rejecting its passages."""
    stated = [each for each in chosen if each.relation != CO_OCCURS]
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom", key="graph-bulk-relations"):
        _button(base_id, "remove", "link_off", lambda: [edit for each in chosen for edit in _removed(each, ends)])
        if stated:
            turned = [(each, *_both(each, ends)) for each in stated]
            _button(base_id, "reverse", "swap_horiz", lambda: [e for each in turned for e in editing.reverse(*each)])
            _reword(base_id, stated, ends)


def _button(base_id: str, name: str, icon: str, make: Callable[[], Sequence[GraphEdit]]) -> None:
    st.button(
        t(f"graph.table.{name}"),
        icon=f":material/{icon}:",
        help=t(f"graph.table.{name}_help"),
        key=f"graph-bulk-{name}",
        on_click=_do,
        args=(base_id, make),
    )


def _reword(base_id: str, stated: Sequence[Relation], ends: Mapping[str, Entity]) -> None:
    key = f"graph-bulk-reword-{len(stated)}-{stated[0].source_id}-{stated[0].target_id}"
    st.text_input(
        t("graph.edit.relation"),
        max_chars=MAX_WORDS,
        placeholder=t("graph.table.reword"),
        label_visibility="collapsed",
        key=key,
        width=240,
        on_change=_do,
        args=(
            base_id,
            lambda: [
                edit for each in stated for edit in editing.reword(each, *_both(each, ends), st.session_state[key])
            ],
        ),
    )


def _removed(relation: Relation, ends: Mapping[str, Entity]) -> Iterator[GraphEdit]:
    source, target = _both(relation, ends)
    if relation.relation != CO_OCCURS:
        yield editing.deny(source, relation.relation, target)
        return
    for chunk_id in services().graph.shared_chunks(source.id, target.id, MOST_REJECTED, unused=True):
        yield editing.reject(source, target, chunk_id)


def _both(relation: Relation, ends: Mapping[str, Entity]) -> tuple[Entity, Entity]:
    return ends[relation.source_id], ends[relation.target_id]
