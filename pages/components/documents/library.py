"""Layout of the Documents page: an open document, or the upload, the progress and the list of all."""

import streamlit as st

from core.documents.model import Document, DocumentStatus
from core.platform.errors import NotFoundError
from pages.components.documents.base_menu import ask, base_menu
from pages.components.documents.bases import (
    DOCUMENT,
    base_picker,
    close_document,
    current_base,
    sample_button,
    use_base,
)
from pages.components.documents.list import document_list
from pages.components.documents.notices import recently_deleted, show_notices
from pages.components.documents.progress import vectors_in_progress, work_in_progress
from pages.components.documents.upload import upload_area
from pages.components.documents.view import document_view
from pages.components.shell.identity import may_edit, say_read_only
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.style import add_style


def draw_documents() -> None:
    add_style("graph.css", "documents.css")
    opened = _opened()
    if opened:
        document_view(opened)
    else:
        _library()


def _opened() -> Document | None:
    """Document in the address; selects its knowledge base."""
    wanted = st.query_params.get(DOCUMENT, "")
    if not wanted:
        return None
    try:
        document = services().library.documents.get(wanted)
    except NotFoundError:
        close_document()
        st.warning(t("documents.gone"), icon=":material/link_off:")
        return None
    use_base(document.base_id)
    return document if document.status is DocumentStatus.READY else None


def _library() -> None:
    base = current_base()
    with st.container(horizontal=True, vertical_alignment="center", key="graph-header"):
        st.title(t("documents.title"), anchor=False, width="content")
        st.space("stretch")
        if base:
            base_picker(base)
            base_menu(base)
        elif st.button(t("documents.base.create"), icon=":material/create_new_folder:"):
            ask("create", None)
    counts = services().library.documents.counts(base.id) if base else {}
    editable = base is None or may_edit(base.id)
    if not editable:
        say_read_only()
    elif not counts:
        _teach()
    if editable:
        upload_area(base)
    else:
        show_notices()
    if base and counts:
        work_in_progress(base.id, counts, editable)
        vectors_in_progress(base.id)
        document_list(base.id, counts, editable)
    recently_deleted(base if editable else None)


def _teach() -> None:
    with st.container(border=True, key="documents-empty"):
        st.header(t("documents.empty.title"), anchor=False)
        st.write(t("documents.empty.explain"))
        sample_button()
