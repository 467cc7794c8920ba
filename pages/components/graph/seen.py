"""The graph that the page shows: the present one, or a read-only one of a past day."""

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import streamlit as st

from core.graph.files.json_files import MAX_EDITS
from core.graph.ports import PastGraph
from core.graph.resolution.resolution import way_back
from core.platform.errors import AppError
from pages.components.graph.edits import notify
from pages.components.graph.state import graph_state, narrow
from pages.components.shell.boundary import show_error
from pages.components.shell.identity import may_edit
from pages.components.shell.language import joined, t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of

if TYPE_CHECKING:
    from core.app.services import Services

NAMED = 5
"""Limit of documents named in a sentence."""


def seen() -> "Services | PastGraph":
    state = graph_state()
    if not state.scope.until or not state.base_id:
        return services()
    return services().past_graphs.as_of(state.base_id, end_of(state.scope.until))


def end_of(day: str) -> datetime:
    """Midnight after the day, UTC."""
    return datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(days=1)


def is_past() -> bool:
    return bool(graph_state().scope.until)


def fault_of_past(base_id: str) -> AppError | None:
    """Reason why the chosen day cannot be shown."""
    try:
        if until := graph_state().scope.until:
            services().past_graphs.as_of(base_id, end_of(until))
    except AppError as error:
        return error
    return None


def no_past(error: AppError) -> None:
    show_error(error)
    _back()


def past_line(base_id: str) -> None:
    """Draw the day of the graph, what it lacks, and the way back to the present."""
    until = graph_state().scope.until
    if not until:
        return
    past = services().past_graphs.as_of(base_id, end_of(until))
    with st.container(border=True, gap="xsmall", key="graph-past"):
        words = [t("graph.past.shown", day=until)]
        if past.missing:
            names = joined(label(name, 60) for name in past.missing[:NAMED])
            words.append(t("graph.past.missing", count=len(past.missing), names=names))
        st.markdown(markdown_of(" ".join(words), 900))
        with st.container(horizontal=True, gap="small"):
            _back()
            if may_edit(base_id):
                _restore(base_id, until)


def _back() -> None:
    st.button(
        t("graph.past.back"), icon=":material/today:", key="graph-past-back", on_click=narrow, kwargs={"until": ""}
    )


def _restore(base_id: str, until: str) -> None:
    """Restore the edits of the day; documents added since stay."""
    edits = services().graph_edits
    undo, redo = way_back(edits.log(base_id, MAX_EDITS), edits.events(base_id), end_of(until))
    count = len(undo) + len(redo)
    st.button(
        t("graph.past.restore"),
        icon=":material/history:",
        key="graph-past-restore",
        disabled=not count,
        help=t("graph.past.restore_help", undo=len(undo), redo=len(redo)) if count else t("graph.past.same"),
        on_click=_go_back,
        args=(base_id, [each.number for each in undo], [each.number for each in redo]),
    )


def _go_back(base_id: str, undo: list[int], redo: list[int]) -> None:
    edits = services().graph_edits
    for numbers, undone in ((undo, True), (redo, False)):
        if numbers:
            edits.set_undone(base_id, numbers, undone)
    narrow(until="")
    notify(t("graph.past.restored", count=len(undo) + len(redo)))
