"""Colour and shape of each entity type, and names with them, shared by drawing, legend and lists."""

from collections.abc import Callable, Sequence

import streamlit as st

from core.graph.model import ENTITY_TYPES, Entity
from pages.components.shell.language import t
from pages.components.shell.text import label, markdown_of

OTHER = "OTHER"
SIGNS = {
    "TECHNOLOGY": ("blue", "●"),
    "CONCEPT": ("violet", "◆"),
    "PERSON": ("red", "▲"),
    "ORGANIZATION": ("yellow", "■"),
    "LOCATION": ("green", "▼"),
    "EVENT": ("orange", "◆"),
    "CREATIVE_WORK": ("gray", "■"),
    OTHER: ("gray", "●"),
}


def type_sign(type_name: str) -> str:
    """Markdown for a label."""
    color, sign = SIGNS.get(type_name, SIGNS[OTHER])
    return f":{color}[{sign}]"


def type_title(type_name: str) -> str:
    """The type's name in the interface language; plain text, untrusted when the type is not one of ours."""
    return t(f"graph.type.{type_name}") if type_name in ENTITY_TYPES else label(type_name) or t(f"graph.type.{OTHER}")


def entity_label(entity: Entity, detail: str = "") -> str:
    """Markdown for a button or a pill: sign, name and a quiet detail."""
    quiet = f" :small[:gray[{markdown_of(detail)}]]" if detail else ""
    return f"{type_sign(entity.type)} {markdown_of(entity.name, 60)}{quiet}"


def counts_of(entity: Entity) -> str:
    """Counts of mentions and documents in words."""
    if entity.mentions == 1:
        return t("graph.panel.counts_once")
    counts = "graph.panel.counts_one" if entity.documents == 1 else "graph.panel.counts"
    return t(counts, mentions=entity.mentions, documents=entity.documents)


def entity_chips(entities: Sequence[Entity], key: str, act: Callable[[str], None], counted: bool = False) -> None:
    """Draw names as buttons that call act with the id. counted: with the number of their mentions."""
    with st.container(horizontal=True, gap="xxsmall", key=f"graph-chips-{key}"):
        for entity in entities:
            words = entity_label(entity, str(entity.mentions) if counted else "")
            st.button(words, key=f"chip-{key}-{entity.id}", on_click=act, args=(entity.id,))
