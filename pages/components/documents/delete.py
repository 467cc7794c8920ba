"""Deleting documents: shows the consequences first; can be undone for some days."""

from collections.abc import Sequence

import streamlit as st

from core.documents.lifecycle.trash import DAYS
from core.documents.model import DeletionPreview, Document
from core.platform.errors import AppError, NotFoundError
from pages.components.documents.facts import counted_in_words
from pages.components.documents.link import close_document
from pages.components.documents.notices import notify
from pages.components.documents.selection import clear_selection
from pages.components.shell.boundary import sentence_of
from pages.components.shell.dialogs import dialog
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of

NAMED = 5
"""Names shown if many documents are selected."""


def ask_delete(*documents: Document) -> None:
    """Opens the dialog for one or several documents."""
    several = len(documents) > 1

    @dialog(t("documents.delete.titles", count=len(documents)) if several else t("documents.delete.title"))
    def asked() -> None:
        st.markdown(_what(documents))
        try:
            preview = services().library.documents.preview_deletion(*(document.id for document in documents))
        except NotFoundError:  # deleted by the click, after which the body runs once more, or in another window
            st.rerun()
        st.markdown(consequences(preview, several))
        if concluded := services().memories.of_documents([document.id for document in documents]):
            st.caption(t("documents.delete.conclusions", count=len(concluded)))
        st.caption(t("documents.delete.undo", days=DAYS))
        with st.container(horizontal=True):
            if st.button(
                t("documents.delete.do"),
                type="primary",
                icon=":material/delete:",
                key="delete-do",
                on_click=_remove,
                args=(documents,),
            ):
                st.rerun()
            if st.button(t("documents.delete.keep")):
                st.rerun()

    asked()


def _what(documents: Sequence[Document]) -> str:
    if len(documents) == 1:
        return t("documents.delete.what", name=markdown_of(documents[0].name, 140))
    names = "\n".join(f"- {markdown_of(document.name, 100)}" for document in documents[:NAMED])
    hidden = len(documents) - NAMED
    return f"{names}\n- {t('documents.delete.more', count=hidden)}" if hidden > 0 else names


def _remove(documents: Sequence[Document]) -> None:
    close_document()
    clear_selection()
    gone: list[Document] = []
    for document in documents:
        try:
            services().lifecycle.remove_document(document.id)
            gone.append(document)
        except AppError as error:
            notify("refused", sentence_of(error))
    if gone:
        notify("deleted", _sentence(gone), tuple(document.id for document in gone))


def _sentence(gone: Sequence[Document]) -> str:
    if len(gone) == 1:
        return t("documents.delete.done", name=label(gone[0].name, 140))
    return t("documents.delete.done_many", count=f"{len(gone):,}")


def consequences(preview: DeletionPreview, several: bool = False) -> str:
    """Markdown; counts in words."""
    key = "documents.delete.goes_many" if several else "documents.delete.goes"
    gone = counted_in_words("entities", preview.entities_removed)
    goes = t(key, chunks=counted_in_words("chunks", preview.chunks), entities=gone)
    kept = counted_in_words("entities", preview.entities_kept)
    stays = t("documents.delete.stays", entities=kept) if preview.entities_kept else ""
    return " ".join(part for part in (goes, stays) if part)
