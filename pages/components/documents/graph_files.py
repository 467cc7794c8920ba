"""Import of a graph's two files: the changes that it would make, and the decision."""

from collections.abc import Mapping
from typing import Protocol

import streamlit as st

from core.documents.lifecycle.graph_import import Imported
from core.graph.files.json_files import EDGES, NODES
from pages.components.documents.notices import attempt, notify
from pages.components.shell.language import joined, t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of

_HELD = "graph-files"


class GraphFile(Protocol):
    def getvalue(self) -> bytes: ...


def hold_graph(base_id: str, files: Mapping[str, GraphFile]) -> None:
    """Hold the files until the reader has seen the changes; an unreadable file is refused at once."""
    if len(files) < 2:
        notify("refused", t("documents.upload.graph_half", name=next(iter(files)), nodes=NODES, edges=EDGES))
        return
    held = base_id, files[NODES].getvalue(), files[EDGES].getvalue()
    preview = services().lifecycle.graph_import.preview
    attempt(lambda: st.session_state.update({_HELD: (held, preview(*held))}))


def waiting_graph(base_id: str) -> None:
    """Shows nothing if no graph waits for this base."""
    held, preview = st.session_state.get(_HELD, (None, None))
    if not held or held[0] != base_id:
        return
    with st.container(border=True, key="graph-preview"):
        st.markdown(f"**{t('documents.graph.title')}**")
        counts = {"new": f"{preview.new:,}", "known": f"{preview.known:,}", "stated": f"{preview.stated:,}"}
        st.write(t("documents.graph.changes", documents=preview.documents, **counts))
        if preview.names:
            listed = joined(markdown_of(label(name, 60)) for name in preview.names)
            st.caption(t("documents.graph.first", names=listed))
        with st.container(horizontal=True, gap="small"):
            st.button(t("documents.graph.take"), type="primary", key="graph-take", on_click=_take, args=held)
            st.button(t("chat.turn.cancel"), key="graph-leave", on_click=_forget)


def _take(base_id: str, nodes: bytes, edges: bytes) -> None:
    _forget()
    attempt(lambda: _tell(services().lifecycle.graph_import.take(base_id, nodes, edges)))


def _tell(taken: Imported) -> None:
    counts = {"nodes": f"{taken.nodes:,}", "edges": f"{taken.edges:,}", "documents": f"{taken.documents:,}"}
    notify("done", t("documents.upload.graph_taken", **counts))


def _forget() -> None:
    st.session_state.pop(_HELD, None)
