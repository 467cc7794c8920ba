"""The history of the graph: what changed between two dates, and how one entity came to be what it is."""

from datetime import UTC, date, datetime, time, timedelta

import streamlit as st

from core.domain.documents import DocumentFilter, DocumentStatus
from core.domain.knowledge import Entity, MentionFilter
from core.kg.edit_files import MAX_EDITS
from core.kg.history import edited_between, edits_of
from pages.components.graph.edits import undo, words_of
from pages.components.graph.state import walk_to
from pages.components.graph.types import entity_label
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import html_of, label, markdown_of
from pages.components.shell.times import ago

LISTED = 30
MOST_DOCUMENTS = 500
USUAL = timedelta(days=7)


def history_button(base_id: str) -> None:
    if st.button(t("graph.history.open"), icon=":material/difference:", key="graph-history"):
        _open(base_id)


def _open(base_id: str) -> None:
    @st.dialog(t("graph.history.title"), width="large", on_dismiss="rerun")
    def dialog() -> None:
        history_list(base_id)

    dialog()


def history_list(base_id: str) -> None:
    """What is new, changed and gone between two dates."""
    today = datetime.now(UTC).date()
    with st.container(horizontal=True, gap="small"):
        first = st.date_input(t("graph.history.from"), today - USUAL, max_value=today, key="graph-history-from")
        last = st.date_input(t("graph.history.to"), today, max_value=today, key="graph-history-to")
    if not first or not last or first > last:
        st.caption(t("graph.history.order"))
        return
    start, end = _midnight(first), _midnight(last + timedelta(days=1))
    _documents(base_id, start, end)
    _new(base_id, start, end)
    _edited(base_id, start, end)
    st.caption(t("graph.history.deleted"))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _documents(base_id: str, start: datetime, end: datetime) -> None:
    ready = services().library.documents.find(base_id, DocumentFilter((DocumentStatus.READY,)), limit=MOST_DOCUMENTS)
    names = [label(each.name, 80) for each in ready if each.ready_at and start <= each.ready_at < end]
    _listing("documents", [markdown_of(name) for name in names])


def _new(base_id: str, start: datetime, end: datetime) -> None:
    """Entities that no earlier document mentions."""
    graph = services().graph
    ids = graph.mentioned(base_id, MentionFilter(since=start)) - graph.mentioned(base_id, MentionFilter(since=end))
    found = [entity for entity in graph.every(base_id) if entity.id in ids] if ids else []
    _heading("new", len(found))
    with st.container(horizontal=True, gap="xxsmall", key="graph-chips-new"):
        for entity in found[:LISTED]:
            if st.button(entity_label(entity, str(entity.mentions)), key=f"new-{entity.id}"):
                walk_to(entity.id)
                st.rerun()
    _rest(len(found))


def _edited(base_id: str, start: datetime, end: datetime) -> None:
    edited = edited_between(services().graph_edits.log(base_id, MAX_EDITS), start, end)
    _listing("changed", [markdown_of(words_of([each.edit])) for each in edited.changed])
    _listing("gone", [markdown_of(label(name, 80)) for name in edited.gone])


def _listing(kind: str, lines: list[str]) -> None:
    """lines: Markdown."""
    _heading(kind, len(lines))
    if lines:
        st.markdown("\n".join(f"- {line}" for line in lines[:LISTED]))
    _rest(len(lines))


def _heading(kind: str, count: int) -> None:
    st.markdown(f"**{t(f'graph.history.{kind}')}** :small[:gray[{count:,}]]")


def _rest(count: int) -> None:
    if count > LISTED:
        st.caption(t("graph.history.more", count=f"{count - LISTED:,}"))


def entity_history(entity: Entity) -> None:
    """Every edit of an entity, each with the way back to how the entity was before it."""
    edits = services().graph_edits
    members = edits.resolution(entity.base_id).members(entity.id)
    found = edits_of(edits.log(entity.base_id, MAX_EDITS), members)
    if not found:
        return
    st.markdown(f"**{t('graph.history.entity')}**")
    for place, logged in enumerate(found[:LISTED]):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", wrap=False):
            told = f"{html_of(words_of([logged.edit]))}<br><span class='gt-quiet'>{html_of(ago(logged.made_at))}</span>"
            st.html(f'<div class="gt-change">{told}</div>')
            if st.button(
                t("graph.history.restore"),
                type="tertiary",
                icon=":material/history:",
                help=t("graph.history.restore_help"),
                key=f"graph-restore-{logged.number}",
            ):
                undo(entity.base_id, found[: place + 1])
                st.rerun()
