"""The side panel of the Graph page: the selected entity with its neighbours, a path, or the most connected entities."""

from collections.abc import Sequence
from itertools import groupby, pairwise

import streamlit as st

from core.graph.model import Entity, Neighbour, Relation
from core.graph.network.cooccurrence import CO_OCCURS
from core.graph.network.network import DETOUR
from core.graph.scope import Shown
from core.platform.errors import NotFoundError
from pages.components.documents.quote import quote_html
from pages.components.graph.communities import community_panel
from pages.components.graph.edit_dialog import edit_button
from pages.components.graph.edits import may_change
from pages.components.graph.evidence import (
    MOST_COUNTED,
    around_both,
    ask_button,
    closable_heading,
    edge_panel,
    mention_list,
    names_of,
    relation_sentences,
)
from pages.components.graph.seen import seen
from pages.components.graph.state import (
    GraphState,
    change,
    clear_selection,
    graph_state,
    look_at_edge,
    show_path,
    walk_to,
    whole_picture,
)
from pages.components.graph.types import counts_of, entity_chips, entity_label, type_sign, type_title
from pages.components.shell.language import joined, t
from pages.components.shell.text import label, markdown_of, render
from pages.components.shell.widgets import dialog, one_of

RELATIONS_LISTED = 8
RELATED_READ = 60
"""Limit of neighbours whose relations are read, strongest first."""
NEIGHBOURS_LISTED = 18
NEIGHBOURS_READ = 200
"""Limit of each hop."""
STARTS_LISTED = 6
MOST_ENDS = 8
MAX_QUERY = 120
SENTENCE_LENGTH = 200


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
    found = seen().graph.search(base_id, query, MOST_ENDS + 1) if query else []
    others = [entity for entity in found if entity.id not in from_ids][:MOST_ENDS]
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
    words, default = t("graph.path.kind"), kinds[strongest]
    return one_of(words, kinds, lambda kind: t(f"graph.path.{kind}"), default=default, key=key) == "strongest"


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
            words = around_both(passage.chunk.text, one, other, SENTENCE_LENGTH)
            quoted = quote_html(words, [*names_of(one), *names_of(other)])
            st.html(render("graph/graph.html", "sentence", words=quoted))
        st.button(
            t("graph.path.evidence"),
            type="tertiary",
            key=f"{key}-evidence",
            on_click=look_at_edge,
            args=(one.id, other.id),
        )


def graph_panel(state: GraphState, shown: Shown) -> None:
    """Draw the selected entity, or the most connected entities of each type."""
    if state.edge:
        edge_panel(*state.edge)
    elif state.selected:
        _entity_panel(state)
    elif state.path:
        path_panel(state.base_id, state)
    elif state.communities:
        community_panel(state, shown)
    else:
        _starting_points(shown, counted=not state.scope.where.narrows)


def _starting_points(shown: Shown, counted: bool) -> None:
    """Draw the most connected entities. counted: with their mentions, which are counted in all documents."""
    st.markdown(f"**{t('graph.panel.nothing_title')}**")
    st.caption(t("graph.panel.nothing"))
    for type_name, entities in _by_type(shown.view.entities).items():
        st.markdown(f"{type_sign(type_name)} **{markdown_of(type_title(type_name))}**")
        entity_chips(entities[:STARTS_LISTED], f"start-{type_name}", walk_to, counted)


def _by_type(entities: Sequence[Entity]) -> dict[str, list[Entity]]:
    """Entities by type, in the given order."""
    groups: dict[str, list[Entity]] = {}
    for entity in entities:
        groups.setdefault(entity.type, []).append(entity)
    return groups


def _entity_panel(state: GraphState) -> None:
    try:
        entity = seen().graph.entity(state.selected)
    except NotFoundError:
        st.info(t("graph.gone"), icon=":material/link_off:")
        return
    _header(entity)
    _actions(entity, centred=state.scope.centre == (entity.id,))
    _neighbours(entity, state)
    mention_list(entity, state.mentions)


def _header(entity: Entity) -> None:
    closable_heading(f"## {entity_label(entity)}", "graph-close", clear_selection)
    facts = [type_title(entity.type), counts_of(entity)]
    if entity.aliases:
        facts.append(t("graph.panel.aliases", names=joined(label(name, 60) for name in entity.aliases[:8])))
    st.html(render("graph/graph.html", "facts", words=(" · ".join(facts[:2]), *facts[2:])))


def _actions(entity: Entity, centred: bool) -> None:
    with st.container(horizontal=True, gap="small"):
        ask_button([entity])
        st.button(
            t("graph.panel.centre"),
            icon=":material/center_focus_strong:",
            key="graph-centre",
            disabled=centred,
            on_click=walk_to,
            args=(entity.id,),
        )
        path_button(entity.base_id, [entity.id])
        if may_change(entity.base_id):
            edit_button(entity)


def _neighbours(entity: Entity, state: GraphState) -> None:
    hops, types = state.scope.hops, state.scope.types
    st.markdown(f"**{t('graph.panel.neighbours')}** :small[:gray[{t('graph.panel.strongest')}]]")
    near = seen().graph.neighbours(entity.id, hops, NEIGHBOURS_READ)
    fitting = [neighbour for neighbour in near if not types or neighbour.entity.type in types]
    if not fitting:
        st.caption(t("graph.panel.no_neighbours") if not near else t("graph.empty.filtered"))
    for hop, group in groupby(fitting, key=lambda neighbour: neighbour.hop):
        ring = list(group)
        if hops > 1:
            is_cut = sum(neighbour.hop == hop for neighbour in near) == NEIGHBOURS_READ
            st.caption(t("graph.panel.hop", hop=hop, count=f"{len(ring)}+" if is_cut else len(ring)))
        listed = ring if hop in state.opened else ring[:NEIGHBOURS_LISTED]
        entity_chips([neighbour.entity for neighbour in listed], f"hop-{hop}", walk_to)
        if len(ring) > len(listed):
            words = t("graph.panel.all_neighbours", count=len(ring) - len(listed))
            st.button(
                words, type="tertiary", key=f"more-{hop}", on_click=change, kwargs={"opened": (*state.opened, hop)}
            )
    _stated_relations(entity, near)


def _stated_relations(entity: Entity, near: Sequence[Neighbour]) -> None:
    """Draw the stated relations, each with a link to its evidence; nothing if there are none."""
    names = {neighbour.entity.id: neighbour.entity.name for neighbour in near if neighbour.hop == 1}
    others = list(names)[:RELATED_READ]
    found = seen().graph.relations_between([entity.id, *others]) if others else []
    own = [each for each in found if each.relation != CO_OCCURS and entity.id in (each.source_id, each.target_id)]
    if not own:
        return
    st.markdown(f"**{t('graph.panel.stated')}**")
    with st.container(gap="xxsmall", key="graph-stated"):
        for number, relation in enumerate(own[:RELATIONS_LISTED]):
            st.button(
                _relation_words(relation, names | {entity.id: entity.name}),
                key=f"stated-{number}",
                type="tertiary",
                help=t("graph.edge.title"),
                on_click=look_at_edge,
                args=(relation.source_id, relation.target_id),
            )


def _relation_words(relation: Relation, names: dict[str, str]) -> str:
    source, target = (markdown_of(label(names[end], 40)) for end in (relation.source_id, relation.target_id))
    return f"{source} — {markdown_of(relation.relation)} → {target}"
