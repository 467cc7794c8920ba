"""Uploads that wait for the reader's word: listed until they are answered, also after the page was closed."""

import streamlit as st

from core.ingest.held import DAYS, Question
from pages.components.document_changed import ask_about_changed
from pages.components.document_start import ask_to_start
from pages.components.language import t
from pages.components.services import services


def waiting_uploads(base_id: str) -> None:
    """Nothing when no upload of this base waits."""
    waiting = services().held.entries(base_id)
    if not waiting:
        return
    ask_about_changed([held for held in waiting if held.question is Question.CHANGED])
    ask_to_start([held for held in waiting if held.question is Question.START])
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(t("documents.waiting.kept", days=DAYS), width="content")
        if len(waiting) > 1:
            words = t("documents.waiting.discard", count=len(waiting))
            if st.button(words, type="tertiary", key="waiting-discard"):
                for held in waiting:
                    services().held.drop(held)
                st.rerun()
