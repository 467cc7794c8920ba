"""The dialog that edits the selected entity, and the form that relates entities."""

from collections.abc import Sequence

import streamlit as st

from core.graph.edits import GraphEdit
from core.graph.model import ENTITY_TYPES, Entity
from core.graph.resolution import editing
from pages.components.graph.edits import record, say_kept
from pages.components.graph.history import entity_history
from pages.components.graph.state import leave
from pages.components.graph.types import entity_label, type_title
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of
from pages.components.shell.widgets import dialog, one_of

FOUND = 8
MAX_INPUT = 200
MAX_WORDS = 80
ONWARD, BACK = DIRECTIONS = ("onward", "back")
"""Of a relation, from the first entity to the others or back."""


def edit_button(entity: Entity) -> None:
    if st.button(t("graph.edit.do"), icon=":material/edit:", key="graph-edit"):
        dialog(t("graph.edit.title", name=markdown_of(entity.name, 80)), width="large")(edit_form)(entity)


def edit_form(entity: Entity) -> None:
    _facts(entity)
    _parts(entity)
    _with_another(entity)
    entity_history(entity)
    st.divider()
    st.caption(t("graph.edit.undoable"))
    if st.button(t("graph.edit.delete"), icon=":material/delete:", key="graph-edit-delete"):
        _finish(entity, [editing.delete([entity])])


def _facts(entity: Entity) -> None:
    with st.form("graph-edit-facts", border=False):
        name = st.text_input(t("graph.edit.name"), label(entity.name, MAX_INPUT), max_chars=MAX_INPUT)
        used = (kind for kind, _ in services().graph.stats(entity.base_id).types)
        types = list(dict.fromkeys([*used, *ENTITY_TYPES]))
        chosen = st.selectbox(
            t("graph.edit.type"),
            types,
            types.index(entity.type) if entity.type in types else None,
            format_func=type_title,
            accept_new_options=True,
        )
        alias = st.text_input(t("graph.edit.alias"), max_chars=MAX_INPUT, placeholder=t("graph.edit.alias_hint"))
        saved = st.form_submit_button(t("graph.edit.save"), type="primary")
    if saved and record(entity.base_id, lambda: _changes(entity, name, chosen or "", alias, types)):
        st.rerun()


def _changes(entity: Entity, name: str, type: str, alias: str, types: Sequence[str]) -> list[GraphEdit]:
    """types: those that were offered."""
    changed = [editing.rename(entity, name)] if name != label(entity.name, MAX_INPUT) else []
    changed += [editing.retype([entity], type, types)] if type and type != entity.type else []
    return changed + ([editing.alias(entity, alias)] if alias.strip() else [])


def _parts(entity: Entity) -> None:
    """Draw the entities merged into it, each with a button that separates it."""
    parts = services().graph_edits.parts(entity.base_id, entity.id)
    if not parts:
        return
    st.markdown(f"**{t('graph.edit.parts')}**")
    for part in parts:
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center"):
            st.markdown(entity_label(part, str(part.mentions)))
            if st.button(t("graph.edit.split"), icon=":material/call_split:", key=f"graph-split-{part.id}"):
                _finish(entity, [editing.split(part)], keep=True)


def _with_another(entity: Entity) -> None:
    """Draw the search for a second entity to merge with or to relate to."""
    st.markdown(f"**{t('graph.edit.another')}**")
    query = st.text_input(
        t("graph.search"),
        key="graph-edit-find",
        type="search",
        live=True,
        placeholder=t("graph.search_hint"),
        label_visibility="collapsed",
    )
    if not (query or "").strip():
        return
    others = _others(entity, query.strip())
    if not others:
        st.caption(t("graph.search_nothing"))
        return
    with st.container(horizontal=True, gap="small", vertical_alignment="bottom"):
        other = st.selectbox(
            t("graph.edit.found"), others, format_func=lambda each: f"{label(each.name, 60)} · {type_title(each.type)}"
        )
        if st.button(t("graph.edit.merge"), icon=":material/merge:", key="graph-edit-merge"):
            _finish(entity, [editing.merge(entity, [other])], keep=True)
    say_kept(entity)
    relation_form(entity, [other], "graph-edit-state")


def _others(entity: Entity, query: str) -> list[Entity]:
    found = services().graph.search(entity.base_id, query[:MAX_INPUT], FOUND + 1)
    return [other for other in found if other.id != entity.id][:FOUND]


def _finish(entity: Entity, edits: Sequence[GraphEdit], keep: bool = False) -> None:
    """Close the dialog. keep: whether the entity still exists and stays selected."""
    if record(entity.base_id, lambda: edits):
        if not keep:
            leave(entity.id)
        st.rerun()


def statement(source: Entity, words: str, target: Entity) -> GraphEdit:
    """A new relation, with its evidence."""
    return editing.state(source, words, target, _places(source, target))


def relation_form(one: Entity, others: Sequence[Entity], key: str) -> None:
    """Draw the words and direction of a relation; Enter states it with each of the others."""
    with st.form(f"{key}-form", border=False, clear_on_submit=True):
        words = st.text_input(
            t("graph.edit.relation"), key=f"{key}-words", max_chars=MAX_WORDS, placeholder=t("graph.edit.relation_hint")
        )
        look = {"default": ONWARD, "key": f"{key}-direction"}
        direction = one_of(t("graph.edit.direction"), DIRECTIONS, lambda way: _way(one, others, way), **look)
        said = st.form_submit_button(t("graph.edit.state"), icon=":material/arrow_right_alt:")
    if said and record(one.base_id, lambda: [statement(*_ordered(one, words, each, direction)) for each in others]):
        st.rerun()


def _ordered(one: Entity, words: str, other: Entity, direction: str | None) -> tuple[Entity, str, Entity]:
    return (other, words, one) if direction == BACK else (one, words, other)


def _way(one: Entity, others: Sequence[Entity], direction: str) -> str:
    """Direction in words, as Markdown."""
    near = markdown_of(one.name, 30)
    far = markdown_of(others[0].name, 30) if len(others) == 1 else t("graph.edit.the_others", count=len(others))
    return " → ".join((far, near) if direction == BACK else (near, far))


def _places(one: Entity, other: Entity) -> list[tuple[str, int]]:
    """First places that mention both entities."""
    shared = services().graph.shared_chunks(one.id, other.id, 1)
    passages = services().library.passages.get(shared)
    return [(passage.chunk.document_id, passage.chunk.page) for passage in passages]
