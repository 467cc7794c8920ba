"""What an empty conversation says: how to begin, and questions that these documents can answer."""

import streamlit as st

from core.domain.documents import DocumentStatus, KnowledgeBase
from pages.components.chat_suggestions import examples
from pages.components.document_bases import use_base
from pages.components.language import t
from pages.components.services import services
from pages.components.text import html_of, markdown_of

_UNDER_WAY = (DocumentStatus.QUEUED, DocumentStatus.RUNNING)


def welcome(base: KnowledgeBase | None) -> str:
    """Returns the example that was picked, or nothing."""
    documents = services().library.documents(base.id) if base else []
    with st.container(key="chat-empty", gap="medium"):
        if not base or not documents:
            _begin()
            return ""
        st.html(f'<h1 class="gt-welcome">{html_of(t("chat.empty.ask"))}</h1>')
        waiting = sum(document.status in _UNDER_WAY for document in documents)
        if waiting:
            st.caption(t("chat.empty.not_ready", count=waiting))
        return _examples(base)


def _begin() -> None:
    st.html(
        f'<h1 class="gt-welcome">{html_of(t("chat.empty.title"))}</h1>'
        f'<p class="gt-lead">{html_of(t("chat.empty.text"))}</p>'
    )
    with st.container(horizontal=True, horizontal_alignment="center"):
        st.button(
            t("chat.empty.sample"),
            icon=":material/auto_stories:",
            type="primary",
            key="load-sample",
            on_click=lambda: use_base(services().load_sample().id),
        )
        if st.button(t("chat.empty.own"), icon=":material/upload_file:", key="own-documents"):
            st.switch_page("pages/documents.py")


def _examples(base: KnowledgeBase) -> str:
    picked = ""
    with st.container(key="examples", gap="xsmall"):
        for number, question in enumerate(examples(base.id)):
            if st.button(
                markdown_of(question), key=f"example-{number}", icon=":material/arrow_forward:", width="stretch"
            ):
                picked = question
    return picked
