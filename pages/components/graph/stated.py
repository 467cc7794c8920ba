"""Stated relations of an entity: extracted by a model, imported, or added by the user."""

from collections.abc import Sequence

import streamlit as st

from core.graph.model import Entity, Neighbour, Relation
from core.graph.network.cooccurrence import CO_OCCURS
from pages.components.graph.seen import seen
from pages.components.graph.state import look_at_edge
from pages.components.shell.language import t
from pages.components.shell.text import label, markdown_of

LISTED = 8
READ = 60
"""Limit of neighbours whose relations are read, strongest first."""


def stated_relations(entity: Entity, near: Sequence[Neighbour]) -> None:
    """Draw the stated relations, each with a link to its evidence; nothing if there are none."""
    names = {neighbour.entity.id: neighbour.entity.name for neighbour in near if neighbour.hop == 1}
    others = list(names)[:READ]
    found = seen().graph.relations_between([entity.id, *others]) if others else []
    own = [each for each in found if each.relation != CO_OCCURS and entity.id in (each.source_id, each.target_id)]
    if not own:
        return
    st.markdown(f"**{t('graph.panel.stated')}**")
    with st.container(gap="xxsmall", key="graph-stated"):
        for number, relation in enumerate(own[:LISTED]):
            st.button(
                _words(relation, names | {entity.id: entity.name}),
                key=f"stated-{number}",
                type="tertiary",
                help=t("graph.edge.title"),
                on_click=look_at_edge,
                args=(relation.source_id, relation.target_id),
            )


def _words(relation: Relation, names: dict[str, str]) -> str:
    source, target = (markdown_of(label(names[end], 40)) for end in (relation.source_id, relation.target_id))
    return f"{source} — {markdown_of(relation.relation)} → {target}"
