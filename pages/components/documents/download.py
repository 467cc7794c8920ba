"""The file as it was added, back again."""

import streamlit as st

from core.domain.documents import Document
from pages.components.shell.language import t
from pages.components.shell.services import services


def download(document: Document) -> None:
    """Read only when it is asked for; nothing for a document that came without a file."""
    path = services().storage.files.path(document.sha256)
    if not path.is_file():
        return
    st.download_button(
        t("documents.download"),
        path.read_bytes,
        file_name=document.name,
        mime=document.media_type or "application/octet-stream",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        key="document-download",
    )
