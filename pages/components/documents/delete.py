"""Deleting documents, several at once by a selection; shows the consequences first and can be undone for some days."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.documents.lifecycle.trash import DAYS
from core.documents.model import DeletionPreview, Document
from core.platform.errors import NotFoundError
from pages.components.documents.bases import close_document
from pages.components.documents.facts import counted_in_words
from pages.components.documents.notices import notify, performed
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of
from pages.components.shell.widgets import decided, dialog

_KEY = "documents-selected"
NAMED = 5
"""Names shown if many documents are selected."""


def selected() -> frozenset[str]:
    """Ids of the selected documents, kept across list pages and filters."""
    return frozenset(st.session_state.get(_KEY, ()))


def select(document_id: str, widget: str) -> None:
    """Applies the state of the check box with the key `widget`."""
    chosen = selected() | {document_id} if st.session_state.get(widget) else selected() - {document_id}
    st.session_state[_KEY] = chosen


def select_all(document_ids: list[str]) -> None:
    st.session_state[_KEY] = frozenset(document_ids)
    _renew()


def clear_selection() -> None:
    st.session_state[_KEY] = frozenset()
    _renew()


def turn() -> int:
    """Number in the check boxes' keys, changed whenever the selection is set by code."""
    return int(st.session_state.get(f"{_KEY}-turn", 0))


def _renew() -> None:
    st.session_state[f"{_KEY}-turn"] = turn() + 1


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
        words = t("documents.delete.do"), t("documents.delete.keep")
        if decided(*words, "delete", on_click=_remove, args=(documents,)):
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
    remove = services().lifecycle.remove_document
    gone = [document for document in documents if performed(partial(remove, document.id))]
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
