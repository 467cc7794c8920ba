"""Editing a chunk in place, restoring its original, disabling and enabling it."""

import streamlit as st

from core.documents.lifecycle.editing import MAX_CHARACTERS
from core.documents.model import Chunk, Document
from pages.components.documents.notices import attempt
from pages.components.shell.boundary import succeeds
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import render

_EDITING = "chunk-editing"


def editing(chunk: Chunk) -> bool:
    return bool(st.session_state.get(_EDITING) == chunk.id)


def edit_chunk(chunk: Chunk) -> None:
    """Opens the chunk's form, or closes it."""
    st.session_state[_EDITING] = None if editing(chunk) else chunk.id


def switch(chunk: Chunk) -> None:
    """Disables an enabled chunk and vice versa."""
    attempt(lambda: _switch(chunk))


def _switch(chunk: Chunk) -> None:
    services().lifecycle.chunk_editor.switch(chunk.id, not chunk.enabled)
    if chunk.enabled:
        st.toast(t("documents.edit.switched_off"), icon=":material/check:")


def chunk_form(document: Document, chunk: Chunk) -> None:
    text = st.text_area(
        t("documents.edit.text"),
        chunk.text,
        max_chars=MAX_CHARACTERS,
        height=260,
        key=f"chunk-text-{chunk.id}",
        label_visibility="collapsed",
        on_change="ignore",
    )
    st.caption(t("documents.edit.explain"))
    with st.container(horizontal=True, key="chunk-form-actions"):
        save = st.button(t("documents.edit.save"), type="primary", key="chunk-save")
        st.button(t("documents.edit.cancel"), key="chunk-cancel", on_click=edit_chunk, args=(chunk,))
        restore = chunk.original and st.button(
            t("documents.edit.restore"), icon=":material/history:", key="chunk-restore"
        )
    if chunk.original:
        with st.expander(t("documents.edit.original")):
            st.html(render("documents/chunk.html", "original", text=chunk.original, limit=MAX_CHARACTERS))
    if save or restore:
        _keep(document, chunk, chunk.original if restore else text or "")


def _keep(document: Document, chunk: Chunk, text: str) -> None:
    rewrite = services().lifecycle.chunk_editor.rewrite
    with st.spinner(t("documents.edit.saving")):
        is_kept = succeeds(lambda: rewrite(document.id, chunk.id, text))
    if not is_kept:
        return
    st.session_state[_EDITING] = None
    found = services().graph.of_chunks([chunk.id]).get(chunk.id, [])
    st.toast(t("documents.edit.saved", entities=len(found)), icon=":material/check:")
    st.rerun()
