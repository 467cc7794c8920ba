"""Undo, redo and the log of what people changed in the graph."""

import streamlit as st

from core.domain.graph_edits import LoggedEdit
from pages.components.graph.edits import redo, undo, words_of
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import html_of, markdown_of
from pages.components.shell.times import ago

LISTED = 50


def changes_menu(base_id: str) -> None:
    with st.popover(t("graph.edit.changes"), icon=":material/history:"):
        log = services().graph_edits.log(base_id, LISTED)
        if not log:
            st.caption(t("graph.edit.none"))
            return
        _undo_and_redo(base_id)
        with st.container(gap="xxsmall", key="graph-log", height=min(420, 16 + 60 * len(log)), border=False):
            for logged in log:
                _row(base_id, logged)


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


def _row(base_id: str, logged: LoggedEdit) -> None:
    with st.container(horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", wrap=False):
        words = html_of(words_of([logged.edit]))
        said = f"<s>{words}</s>" if logged.undone else words
        st.html(f'<div class="gt-change">{said}<br><span class="gt-quiet">{html_of(ago(logged.made_at))}</span></div>')
        st.button(
            "",
            icon=":material/redo:" if logged.undone else ":material/undo:",
            type="tertiary",
            help=t("graph.edit.redo") if logged.undone else t("graph.edit.undo"),
            key=f"graph-log-{logged.number}",
            on_click=redo if logged.undone else undo,
            args=(base_id, [logged]),
        )
