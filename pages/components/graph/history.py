"""Changes of the graph: undo, redo and log of edits, changes between two dates, edits of one entity."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta

import streamlit as st

from core.graph.edits import EventKind, GraphEvent, LoggedEdit
from core.graph.files.json_files import MAX_EDIT_BYTES, MAX_EDITS, read_edits
from core.graph.model import Entity
from core.graph.resolution.resolution import difference, edits_of
from core.platform.errors import AppError
from pages.components.graph.edits import notify, redo, undo, words_of
from pages.components.graph.seen import NAMED
from pages.components.graph.state import MAX_LINKED, show_only, walk_to
from pages.components.graph.types import entity_chips
from pages.components.shell.boundary import show_error
from pages.components.shell.identity import may_edit, say_read_only
from pages.components.shell.language import joined, t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of, render
from pages.components.shell.times import ago
from pages.components.shell.widgets import icon_button

LISTED = 30
USUAL = timedelta(days=7)
LOGGED = 50
BROUGHT_IN = "graph-edits-brought-in"
"""Session key: number of imported files, which recreates the field so that none is imported twice."""
PREVIEWED = 8
"""Number of a file's edits shown before they are imported."""


def history_switch(base_id: str) -> None:
    """Draw the switch for the history, and the history when it is on."""
    if st.toggle(t("graph.history.open"), key="graph-history"):
        history_list(base_id)


def history_list(base_id: str) -> None:
    """Draw additions, changes and removals from the begin of one day to the end of another, with authors."""
    today = datetime.now(UTC).date()
    with st.container(horizontal=True, gap="small"):
        first = st.date_input(t("graph.history.from"), today - USUAL, max_value=today, key="graph-history-from")
        last = st.date_input(t("graph.history.to"), today, max_value=today, key="graph-history-to")
    if not first or not last or first > last:
        st.caption(t("graph.history.order"))
        return
    start, end = _midnight(first), _midnight(last + timedelta(days=1))
    try:
        before, after = (services().past_graphs.as_of(base_id, moment) for moment in (start, end))
    except AppError as error:
        show_error(error)
        return
    _happened(base_id, start, end)
    told = difference(before.graph.every(base_id), after.graph.every(base_id))
    _draw_button([entity.id for entity in (*told.new, *(entity for _, entity in told.changed))])
    _entities("new", told.new)
    _entities("altered", [entity for _, entity in told.changed])
    _listing("gone", [markdown_of(label(entity.name, 80)) for entity in told.gone])
    lost = dict.fromkeys((*before.missing, *after.missing))
    if lost:
        names = joined(label(name, 60) for name in list(lost)[:NAMED])
        st.caption(t("graph.past.missing", count=len(lost), names=markdown_of(names)))
    st.caption(t("graph.history.utc"))


def _draw_button(entity_ids: Sequence[str]) -> None:
    """Draw nothing if there are no entities."""
    drawn, words = entity_ids[:MAX_LINKED], t("graph.history.draw")
    if len(drawn) < len(entity_ids):
        words = t("graph.history.draw_first", shown=f"{len(drawn):,}", count=f"{len(entity_ids):,}")
    if drawn:
        st.button(words, icon=":material/hub:", key="graph-history-draw", on_click=show_only, args=(drawn,))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)


def _happened(base_id: str, start: datetime, end: datetime) -> None:
    """Events of documents and edits, newest first."""
    edits = services().graph_edits
    events = [each for each in edits.events(base_id) if start <= each.at < end]
    documents = [each for each in events if each.of_document]
    _listing("documents", [_line(event_words(each), each.at, each.actor) for each in reversed(documents)])
    log = edits.log(base_id, MAX_EDITS)
    known = {str(each.number): each for each in log}
    came = {each.subject for each in events if each.kind is EventKind.ADDED}
    made = [
        (each.made_at, _line(words_of([each.edit]), each.made_at, each.actor or you()))
        for each in log
        if start <= each.made_at < end and str(each.number) not in came
    ]
    made += [
        (each.at, _line(f"{event_words(each)} · {words_of([known[each.subject].edit])}", each.at, each.actor or you()))
        for each in events
        if each.subject in known and not each.of_document
    ]
    _listing("changed", [line for _, line in sorted(made, key=lambda pair: pair[0], reverse=True)])


def event_words(event: GraphEvent) -> str:
    """Sentence about an event: untrusted plain text."""
    return t(f"graph.history.event.{event.kind}", name=label(event.name, 80))


def you() -> str:
    """Name for the only user of an unshared installation."""
    return t("graph.history.you")


def by_whom(at: datetime, who: str) -> str:
    """Time and, if known, author; plain text."""
    return f"{ago(at)} · {label(who, 60)}" if who else ago(at)


def _line(words: str, at: datetime, who: str) -> str:
    return f"{markdown_of(words)} :small[:gray[{markdown_of(by_whom(at, who))}]]"


def _entities(kind: str, found: Sequence[Entity]) -> None:
    _heading(kind, len(found))
    entity_chips(found[:LISTED], kind, walk_to, counted=True)
    _rest(len(found))


def _listing(kind: str, lines: list[str]) -> None:
    """Draw a titled list. lines: Markdown."""
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
    """Draw every edit of an entity, each with a button that restores the state before it."""
    edits = services().graph_edits
    members = edits.resolution(entity.base_id).members(entity.id)
    found = edits_of(edits.log(entity.base_id, MAX_EDITS), members)
    if not found:
        return
    st.markdown(f"**{t('graph.history.entity')}**")
    for place, logged in enumerate(found[:LISTED]):
        with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", wrap=False):
            when = by_whom(logged.made_at, logged.actor or you())
            st.html(render("graph/graph.html", "edit", words=words_of([logged.edit]), when=when))
            if st.button(
                t("graph.history.restore"),
                type="tertiary",
                icon=":material/history:",
                help=t("graph.history.restore_help"),
                key=f"graph-restore-{logged.number}",
            ):
                undo(entity.base_id, found[: place + 1])
                st.rerun()


def changes_menu(base_id: str) -> None:
    with st.popover(t("graph.edit.changes"), icon=":material/history:"):
        editable = may_edit(base_id)
        log = services().graph_edits.log(base_id, LOGGED)
        if log:
            _log(base_id, log, editable)
        else:
            st.caption(t("graph.edit.none"))
        history_switch(base_id)
        if editable:
            bring_in(base_id)
        else:
            say_read_only()


def _log(base_id: str, log: Sequence[LoggedEdit], editable: bool) -> None:
    if editable:
        _undo_and_redo(base_id)
    with st.container(gap="xxsmall", key="graph-log", height=min(420, 24 + 46 * len(log)), border=False):
        for logged in log:
            _row(base_id, logged, editable)


def bring_in(base_id: str) -> None:
    """Draw the import of edits from another knowledge base or machine, with a preview of their effect."""
    limit = MAX_EDIT_BYTES // 2**20
    times = st.session_state.get(BROUGHT_IN, 0)
    key = f"graph-edits-file-{base_id}-{times}"
    file = st.file_uploader(t("graph.edit.bring_in"), type="json", max_upload_size=limit, key=key)
    if file is None:
        return
    try:
        found = read_edits(file.getvalue(), base_id, label(file.name))
    except AppError as error:
        show_error(error)
        return
    resolution = services().graph_edits.resolution(base_id)
    known = {entity.id for entity in services().graph.every(base_id)} | resolution.into.keys() | resolution.removed
    fits = [all(entity.id in known for entity in each.edit.entities) for each in found]
    in_force = [fit for it, fit in zip(found, fits, strict=True) if not it.undone]
    fitting, undone = sum(in_force), len(found) - len(in_force)
    counts = {"fitting": fitting, "others": len(in_force) - fitting, "undone": undone}
    st.caption(t("graph.edit.preview", count=len(found), **counts))
    rows = [(words_of([it.edit]), it.undone, fit) for it, fit in zip(found[:PREVIEWED], fits, strict=False)]
    rest = t("graph.edit.preview_rest", count=len(found) - PREVIEWED) if len(found) > PREVIEWED else ""
    st.html(render("graph/graph.html", "preview", edits=rows, rest=rest))
    st.button(t("graph.edit.bring_in_do"), key="graph-edits-add", on_click=_add, args=(base_id, found))


def _add(base_id: str, found: Sequence[LoggedEdit]) -> None:
    services().graph_edits.add_log(base_id, found)
    st.session_state[BROUGHT_IN] = st.session_state.get(BROUGHT_IN, 0) + 1
    notify(t("graph.edit.brought_in", count=len(found)))


def _undo_and_redo(base_id: str) -> None:
    edits = services().graph_edits
    with st.container(horizontal=True, gap="small"):
        for name, icon, found, act in (
            ("undo", "undo", edits.next_undo(base_id), undo),
            ("redo", "redo", edits.next_redo(base_id), redo),
        ):
            st.button(
                t(f"graph.edit.{name}"),
                icon=f":material/{icon}:",
                key=f"graph-{name}",
                disabled=not found,
                help=markdown_of(words_of([each.edit for each in found])) if found else None,
                on_click=act,
                args=(base_id, found),
            )


def _row(base_id: str, logged: LoggedEdit, editable: bool) -> None:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", wrap=False):
        words, when = words_of([logged.edit]), by_whom(logged.made_at, logged.actor or you())
        st.html(render("graph/graph.html", "edit", words=words, when=when, is_undone=logged.undone))
        if not editable:
            return
        name, act = ("redo", redo) if logged.undone else ("undo", undo)
        icon_button(name, t(f"graph.edit.{name}"), f"graph-log-{logged.number}", act, base_id, [logged])
