"""Evidence of the graph: mentions of an entity on their pages, and why two entities are connected."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from core.documents.model import Box, Chunk
from core.graph.model import Entity, MentionView, Relation
from core.graph.network.cooccurrence import CO_OCCURS
from core.graph.resolution import editing
from core.platform.errors import NotFoundError
from core.search.model import Passage
from pages.components.documents.bases import open_document
from pages.components.documents.facts import place_words
from pages.components.documents.page import has_page_images, page_strip, show_page
from pages.components.documents.quote import around, around_each, place_of, quote_html
from pages.components.graph.edit_dialog import relation_form
from pages.components.graph.edits import may_change, record
from pages.components.graph.seen import seen
from pages.components.graph.state import ENTITY, change, walk_to
from pages.components.graph.types import entity_chips, links_to
from pages.components.run.live_html import live_html
from pages.components.shell.language import t
from pages.components.shell.text import label, markdown_of, render
from pages.components.shell.widgets import icon_button

EVIDENCE = 6
PLACES = 3
MOST_COUNTED = 1_000
"""Limit of counted passages that mention both."""
LONGEST = 500
"""Maximum length of a sentence that states a relation."""
CLOSE = 0.2
"""Weight a passage from which few other names stand beside the two: a passage with n entities gives 1 / (n - 1)."""


def mention_list(entity: Entity, limit: int) -> None:
    """Draw the first `limit` mentions, with a strip of the page if the document has page images."""
    found = seen().graph.mentions(entity.id, limit)
    st.markdown(f"**{t('graph.panel.mentions')}**")
    if not found:
        st.caption(t("graph.panel.no_mentions"))
    beside = names_beside(entity.base_id, [view.mention.chunk_id for view in found], [entity])
    for view in found:
        _mention(view, beside[view.mention.chunk_id])
    if len(found) < entity.mentions:
        st.caption(t("graph.panel.mentions_shown", shown=len(found), total=entity.mentions))
        more = {"mentions": limit * 3}
        st.button(t("graph.panel.more"), key="graph-more-mentions", on_click=change, kwargs=more)


def _mention(view: MentionView, beside: Sequence[Entity]) -> None:
    mention = view.mention
    with st.container(border=True, gap="xsmall", key=f"mention-{mention.id}"):
        sentence(mention.id, view.sentence, [mention.surface], beside)
        if not view.used:
            st.caption(t("graph.panel.mention_off"))
        place = SentencePlace(view.document_name, mention.document_id, mention.page, mention.chunk_id, view.boxes)
        draw_place(place, mention.id)


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


@dataclass(frozen=True, slots=True)
class SentencePlace:
    """Place of a sentence in a document."""

    document_name: str
    document_id: str
    page: int
    chunk_id: str
    boxes: tuple[tuple[int, Box], ...]
    """(page, box) of the blocks that hold it."""


def draw_place(place: SentencePlace, key: str, action: Callable[[], None] | None = None) -> None:
    """Draw a strip of the page if there is an image, then the document's name and a link.

    action: draws further actions on the sentence.
    """
    words = place_words(label(place.document_name, 60), place.page)
    pictured = bool(place.boxes) and has_page_images(place.document_id)
    if pictured:
        st.html(page_strip(place.document_id, *place.boxes[0]))
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", wrap=False):
        st.html(render("graph/graph.html", "quiet", words=words))
        with st.container(horizontal=True, gap="small", width="content"):
            if pictured and st.button(t("graph.panel.show_page"), type="tertiary", key=f"page-{key}"):
                show_page(markdown_of(words), place.document_id, place.boxes)
            if not pictured and st.button(t("graph.panel.open_document"), type="tertiary", key=f"open-{key}"):
                open_document(place.document_id, place.page, place.chunk_id)
            if action:
                action()


def edge_panel(source_id: str, target_id: str) -> None:
    graph = seen().graph
    closable_heading(f"**{t('graph.edge.title')}**", "graph-edge-close", partial(change, edge=None))
    ends = _ends(source_id, target_id)
    if ends is None:
        st.info(t("graph.gone"), icon=":material/link_off:")
        return
    entity_chips(ends, "edge", walk_to)
    shared = graph.shared_chunks(source_id, target_id, MOST_COUNTED)
    relations = graph.relations_between([source_id, target_id])
    for words in relation_sentences(relations, ends, len(shared)):
        st.caption(words)
    with st.container(horizontal=True, gap="small"):
        ask_button(ends)
        if may_change(ends[0].base_id):
            with st.popover(t("graph.edge.relate"), icon=":material/arrow_right_alt:"):
                relation_form(ends[0], ends[1:], "graph-edge-relate")
    said = {saying.chunk_id: saying.span for relation in relations for saying in relation.sayings}
    shown = list(dict.fromkeys([*said, *shared]))[:EVIDENCE]
    passages = seen().library.passages.get(shown)
    if passages:
        st.markdown(f"**{t('graph.edge.evidence')}**")
    beside = names_beside(ends[0].base_id, shown, ends)
    for passage in passages:
        _evidence(passage, ends, beside[passage.chunk.id], said.get(passage.chunk.id))


def _ends(source_id: str, target_id: str) -> tuple[Entity, Entity] | None:
    """None if one of them is gone, or they are one entity by now."""
    graph = seen().graph
    try:
        one, other = graph.entity(source_id), graph.entity(target_id)
    except NotFoundError:
        return None
    return (one, other) if one.id != other.id else None


def relation_sentences(relations: Sequence[Relation], ends: tuple[Entity, Entity], passages: int) -> list[str]:
    """A sentence about each relation of the two. passages: number that mention both."""
    is_stated = any(relation.relation != CO_OCCURS for relation in relations)
    return [
        _count_sentence(relation, passages, is_stated)
        if relation.relation == CO_OCCURS
        else _statement_sentence(relation, ends)
        for relation in relations
    ]


def _statement_sentence(relation: Relation, ends: tuple[Entity, Entity]) -> str:
    names = {entity.id: markdown_of(entity.name) for entity in ends}
    said = {"source": names[relation.source_id], "target": names[relation.target_id]}
    said["relation"] = markdown_of(relation.relation)
    if not relation.pages:
        return t("graph.edge.stated_by_hand", **said)
    key = "graph.edge.stated_by_hand_of" if relation.by_hand else "graph.edge.stated"
    return t(key, **said, places="; ".join(_places(relation)))


def _count_sentence(relation: Relation, passages: int, is_stated: bool) -> str:
    """is_stated: whether something is stated of the two, such as by a sentence that names one by a pronoun."""
    if not passages:
        return t("graph.edge.unused")
    if not relation.near and not is_stated:
        return t("graph.edge.apart", count=passages)
    crowd = t("graph.edge.few" if relation.weight >= CLOSE * passages else "graph.edge.many")
    return t("graph.edge.together", count=passages, crowd=crowd)


def _places(relation: Relation) -> list[str]:
    """First pages that state the relation, by document."""
    library = seen().library
    names = {document_id: library.documents.get(document_id).name for document_id, _ in relation.pages[:PLACES]}
    return [
        markdown_of(place_words(label(names[document_id], 60), page)) for document_id, page in relation.pages[:PLACES]
    ]


def _evidence(
    passage: Passage, ends: tuple[Entity, Entity], beside: Sequence[Entity], said: tuple[int, int] | None
) -> None:
    """Draw a passage. said: span in which it states a relation of the two."""
    chunk = passage.chunk
    names = [name for entity in ends for name in names_of(entity)]
    boxes = chunk.boxes(*said) if said else _boxes(chunk, ends)
    place = SentencePlace(passage.document_name, chunk.document_id, chunk.page, chunk.id, boxes)
    words = label(chunk.text[slice(*said)], LONGEST) if said else around_both(chunk.text, *ends)
    with st.container(border=True, gap="xsmall", key=f"evidence-{chunk.id}"):
        sentence(chunk.id, words, names, beside)
        draw_place(place, chunk.id, partial(_reject, chunk.id, ends) if may_change(ends[0].base_id) else None)


def around_both(text: str, one: Entity, other: Entity, width: int = 320) -> str:
    """Text around the first name, and around the second if that is elsewhere."""
    first = label(around(text, names_of(one), width), width + 20)
    if place_of(first, names_of(other)) != (0, 0):
        return first
    return label(around_each(text, [names_of(one), names_of(other)], width), 2 * width + 20)


def names_of(entity: Entity) -> tuple[str, ...]:
    return (entity.name, *entity.aliases)


def _boxes(chunk: Chunk, ends: tuple[Entity, Entity]) -> tuple[tuple[int, Box], ...]:
    """Boxes of the blocks that contain the names."""
    places = [place_of(chunk.text, names_of(entity)) for entity in ends]
    return tuple(dict.fromkeys(box for start, end in places for box in chunk.boxes(start, max(end, start + 1))))


def _reject(chunk_id: str, ends: tuple[Entity, Entity]) -> None:
    rejected = st.button(
        "", icon=":material/link_off:", type="tertiary", help=t("graph.edge.reject"), key=f"evidence-reject-{chunk_id}"
    )
    if rejected and record(ends[0].base_id, lambda: [editing.reject(*ends, chunk_id)]):
        st.rerun()


def closable_heading(words: str, key: str, on_close: Callable[[], None]) -> None:
    """Draw a heading with a button that closes the panel. words: Markdown."""
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", wrap=False):
        st.markdown(words)
        icon_button("close", t("graph.panel.close"), key, on_close)


def ask_button(entities: Sequence[Entity]) -> None:
    """Draw a button for a question about one entity, or about the connection of two."""
    several = len(entities) > 1
    words = t("graph.ask.connection") if several else t("graph.panel.ask")
    if st.button(words, icon=":material/forum:", type="secondary" if several else "primary", key="graph-ask"):
        names = [label(entity.name) for entity in entities]
        question = t("graph.ask.how", one=names[0], other=names[1]) if several else None
        st.session_state["ask"] = question or t("graph.panel.question", name=names[0])
        st.switch_page("pages/chat.py")
