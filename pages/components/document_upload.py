"""Adding files: each one is taken or refused by itself, with a sentence that says why."""

import json
from collections.abc import Mapping, Sequence
from typing import Protocol

import streamlit as st

from core.errors import AppError
from core.ingest.inspect import MAX_MEGABYTES
from core.kg.files import EDGES, NODES
from pages.components.boundary import sentence_of
from pages.components.document_arrival import arrive, reads_by_model
from pages.components.document_bases import use_base
from pages.components.document_notices import dismiss_notices, notify, show_notices
from pages.components.document_parser import chosen_parser, current_parser, parser_picker
from pages.components.document_waiting import waiting_uploads
from pages.components.language import t
from pages.components.services import services

_ROUND = "documents-upload-round"


class Upload(Protocol):
    name: str

    def getvalue(self) -> bytes: ...


def upload_area(base_id: str | None) -> None:
    """Where files are dropped; without a knowledge base the first file makes one."""
    turn = st.session_state.setdefault(_ROUND, 0)
    with st.container(key="documents-drop", gap=None):
        st.html(_words())
        files = st.file_uploader(
            t("documents.upload.label"),
            accept_multiple_files=True,
            max_upload_size=MAX_MEGABYTES,
            key=f"documents-upload-{turn}",
            label_visibility="collapsed",
        )
    parser_picker()
    show_notices()
    if base_id:
        waiting_uploads(base_id)
    if not files:
        return
    with st.spinner(t("documents.upload.taking", count=len(files))):
        dismiss_notices()
        take_files(base_id or _first_base(), files)
    st.session_state[_ROUND] = turn + 1  # a fresh uploader: what was taken is in the list now
    st.rerun()


def take_files(base_id: str, files: Sequence[Upload]) -> None:
    """Each file by itself; the two files of a graph together."""
    graph = {file.name.casefold(): file for file in files if file.name.casefold() in (NODES, EDGES)}
    if graph:
        _take_graph(base_id, graph)
    for file in files:
        if file.name.casefold() in graph:
            continue
        arrive(base_id, file.name, file.getvalue(), chosen_parser())


def _take_graph(base_id: str, files: Mapping[str, Upload]) -> None:
    if len(files) < 2:
        notify("refused", t("documents.upload.graph_half", name=next(iter(files)), nodes=NODES, edges=EDGES))
        return
    try:
        taken = services().graph_import.take(base_id, files[NODES].getvalue(), files[EDGES].getvalue())
    except AppError as error:
        notify("refused", sentence_of(error))
        return
    counts = {"nodes": f"{taken.nodes:,}", "edges": f"{taken.edges:,}", "documents": f"{taken.documents:,}"}
    notify("done", t("documents.upload.graph_taken", **counts))


def _words() -> str:
    """Streamlit's own words in the field are English in every language: the style sheet puts these in their place."""
    choose = json.dumps(t("documents.upload.label"), ensure_ascii=False)
    stay = current_parser() == "built-in" and not reads_by_model()
    told = [t("documents.upload.formats", megabytes=MAX_MEGABYTES), *([t("documents.upload.stay")] if stay else [])]
    formats = json.dumps(" ".join(told), ensure_ascii=False)
    return f"<style>.st-key-documents-drop {{ --gt-choose: {choose}; --gt-formats: {formats} }}</style>"


def _first_base() -> str:
    base = services().library.create_base(t("documents.base.default"))
    use_base(base.id)
    return base.id
