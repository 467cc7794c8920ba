"""Sentences of the documents on the Graph page, with names as links."""

from collections.abc import Sequence

import streamlit as st

from core.graph.model import Entity
from pages.components.documents.quote import quote_html
from pages.components.graph.name_links import links_to
from pages.components.graph.seen import seen
from pages.components.graph.state import ENTITY, walk_to
from pages.components.run.live_html import live_html
from pages.components.shell.text import render


def names_beside(base_id: str, chunk_ids: Sequence[str], shown: Sequence[Entity]) -> dict[str, list[Entity]]:
    """Entities of each chunk without the selected ones."""
    looked_at = {entity.id for entity in shown}
    found = seen().graph.mentioned_in(base_id, list(dict.fromkeys(chunk_ids)))
    return {chunk_id: [it for it in entities if it.id not in looked_at] for chunk_id, entities in found.items()}


def sentence(key: str, text: str, marked: Sequence[str], beside: Sequence[Entity]) -> None:
    """Draw a sentence. marked: words to mark; beside: entities whose names become links."""
    quoted = quote_html(text, marked, draw=links_to(beside))
    drawn = render("graph/graph.html", "sentence", words=quoted, is_small=False)
    clicked = live_html(f"sentence-{key}", "sentence", (("text", drawn),))
    if clicked and clicked.event == ENTITY:
        walk_to(clicked.value)
        st.rerun()
