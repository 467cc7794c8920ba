"""Download of the original file."""

import streamlit as st

from core.documents.model import Document
from pages.components.shell.downloads import made_on_click
from pages.components.shell.language import t
from pages.components.shell.services import services


def download(document: Document) -> None:
    """The file is read on click; shows nothing for a document without a file."""
    path = services().storage.files.path(document.sha256)
    if not path.is_file():
        return
    st.download_button(
        t("documents.download"),
        made_on_click(path.read_bytes, "document.downloaded", document.id),
        file_name=document.name,
        mime=document.media_type or "application/octet-stream",
        icon=":material/download:",
        type="tertiary",
        on_click="ignore",
        key="document-download",
    )
