"""Undo, redo and log of edits of the graph."""

from collections.abc import Sequence

import streamlit as st

from core.graph.edits import LoggedEdit
from core.graph.files.json_files import MAX_EDIT_BYTES, read_edits
from core.platform.errors import AppError
from pages.components.graph.edits import notify, redo, undo, words_of
from pages.components.graph.history import by_whom, history_switch, you
from pages.components.shell.boundary import show_error
from pages.components.shell.language import t
from pages.components.shell.role import may_edit, say_read_only
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of, render

LISTED = 50
BROUGHT_IN = "graph-edits-brought-in"
"""Session key: number of imported files, which recreates the field so that none is imported twice."""
PREVIEWED = 8
"""Number of a file's edits shown before they are imported."""


def changes_menu(base_id: str) -> None:
    with st.popover(t("graph.edit.changes"), icon=":material/history:"):
        editable = may_edit(base_id)
        log = services().graph_edits.log(base_id, LISTED)
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
        st.button(
            "",
            icon=":material/redo:" if logged.undone else ":material/undo:",
            type="tertiary",
            help=t("graph.edit.redo") if logged.undone else t("graph.edit.undo"),
            key=f"graph-log-{logged.number}",
            on_click=redo if logged.undone else undo,
            args=(base_id, [logged]),
        )
