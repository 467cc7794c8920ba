"""Uploads that await the user's decision, listed until decided, even after the page was closed."""

import streamlit as st

from core.documents.lifecycle.pending_uploads import DAYS, UploadQuestion
from pages.components.documents.changed import ask_about_changed
from pages.components.documents.graph_files import waiting_graph
from pages.components.documents.start import ask_to_start, leave_out
from pages.components.shell.language import t
from pages.components.shell.services import services


def waiting_uploads(base_id: str) -> None:
    """Shows nothing if no upload of this base waits."""
    waiting_graph(base_id)
    waiting = services().lifecycle.uploads.pending.entries(base_id)
    if not waiting:
        return
    ask_about_changed([held for held in waiting if held.question is UploadQuestion.CHANGED])
    ask_to_start([held for held in waiting if held.question is UploadQuestion.START])
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(t("documents.waiting.kept", days=DAYS), width="content")
        if len(waiting) > 1:
            words = t("documents.waiting.discard", count=len(waiting))
            st.button(words, type="tertiary", key="waiting-discard", on_click=leave_out, args=(waiting,))
