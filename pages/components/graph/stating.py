"""Form for a new relation between two entities, with its evidence."""

from collections.abc import Sequence

import streamlit as st

from core.graph.edits import GraphEdit
from core.graph.model import Entity
from core.graph.resolution import editing
from pages.components.graph.edits import record
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import markdown_of

MAX_WORDS = 80
ONWARD, BACK = DIRECTIONS = ("onward", "back")


def statement(source: Entity, words: str, target: Entity) -> GraphEdit:
    return editing.state(source, words, target, _places(source, target))


def relation_form(one: Entity, others: Sequence[Entity], key: str) -> None:
    """Draw the words and direction of a relation; Enter states it with each of the others."""
    with st.form(f"{key}-form", border=False, clear_on_submit=True):
        words = st.text_input(
            t("graph.edit.relation"), key=f"{key}-words", max_chars=MAX_WORDS, placeholder=t("graph.edit.relation_hint")
        )
        direction = st.segmented_control(
            t("graph.edit.direction"),
            DIRECTIONS,
            default=ONWARD,
            required=True,
            format_func=lambda way: _way(one, others, way),
            label_visibility="collapsed",
            key=f"{key}-direction",
        )
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
