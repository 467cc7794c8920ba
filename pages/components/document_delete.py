"""Deleting a document: first what goes and what stays, then the deed."""

import streamlit as st

from core.domain.documents import DeletionPreview, Document
from core.errors import AppError
from pages.components.boundary import sentence_of
from pages.components.document_link import close_document
from pages.components.document_notices import notify
from pages.components.language import t
from pages.components.services import services
from pages.components.text import markdown_of


def ask_delete(document: Document) -> None:
    """Open the dialog."""

    @st.dialog(t("documents.delete.title"))
    def dialog() -> None:
        preview = services().library.preview_deletion(document.id)
        st.markdown(t("documents.delete.what", name=markdown_of(document.name, 140)))
        st.markdown(consequences(preview))
        with st.container(horizontal=True):
            if st.button(
                t("documents.delete.do"),
                type="primary",
                icon=":material/delete:",
                key="delete-do",
                on_click=_remove,
                args=(document.id,),
            ):
                st.rerun()
            if st.button(t("documents.delete.keep")):
                st.rerun()

    dialog()


def _remove(document_id: str) -> None:
    close_document()
    try:
        services().remove_document(document_id)
    except AppError as error:
        notify("refused", sentence_of(error))


def consequences(preview: DeletionPreview) -> str:
    """Markdown; counts in words."""
    goes = t("documents.delete.goes", chunks=f"{preview.chunks:,}", entities=f"{preview.entities_removed:,}")
    stays = t("documents.delete.stays", entities=f"{preview.entities_kept:,}") if preview.entities_kept else ""
    return " ".join(part for part in (goes, stays) if part)
