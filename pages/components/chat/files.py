"""Files dropped into the chat: choice of the knowledge base, upload and result."""

from collections.abc import Sequence

import streamlit as st

from core.domain.documents import KnowledgeBase
from core.ingest.lifecycle.sample import NAME as SAMPLE
from pages.components.chat.state import open_thread
from pages.components.documents.bases import own_base
from pages.components.documents.notices import dismiss_notices, show_notices
from pages.components.documents.upload import Upload, take_files
from pages.components.documents.waiting import waiting_uploads
from pages.components.shell.language import t
from pages.components.shell.role import may_edit

BROUGHT = "ask"
"""Session key of a question for the reader to send."""
_HELD = "chat-files"
_TAKEN = "chat-files-taken"


def hold_files(files: Sequence[Upload], question: str) -> None:
    """Until it is known where they go; the question waits in the field, because it may be about them."""
    st.session_state[_HELD] = list(files)
    if question:
        st.session_state[BROUGHT] = question


def waiting_files(base: KnowledgeBase | None) -> None:
    """Takes what was dropped into the open knowledge base; asks first where that is the sample."""
    held: list[Upload] = st.session_state.get(_HELD, [])
    editable = base is not None and may_edit(base.id)
    if held and base and (base.name == SAMPLE or not editable):
        _ask_where(base, held, editable)
    elif held and base:
        _take(base.id, held)
    if base and editable and st.session_state.get(_TAKEN) == base.id:
        show_notices()
        waiting_uploads(base.id)


def _ask_where(base: KnowledgeBase, held: Sequence[Upload], editable: bool) -> None:
    """The sample takes them if that is wanted; a base that is only read does not."""
    words = t("chat.files.where" if editable else "chat.files.read_only", count=len(held))
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="chat-files"):
        st.caption(f":material/upload_file: {words}", width="stretch")
        if st.button(t("chat.files.own"), type="primary", key="files-own"):
            _take(_own_base(), held)
        if editable and st.button(t("chat.files.sample"), key="files-sample"):
            _take(base.id, held)
        if st.button(t("chat.turn.cancel"), key="files-cancel", type="tertiary"):
            st.session_state.pop(_HELD)
            st.rerun()


def _take(base_id: str, held: Sequence[Upload]) -> None:
    """By the rules of the Documents page; a conversation about another base is left for a new one."""
    st.session_state.pop(_HELD)
    st.session_state[_TAKEN] = base_id
    dismiss_notices()
    take_files(base_id, held)
    st.toast(t("chat.files.taken", count=len(held)), icon=":material/hourglass_top:")
    st.rerun()


def _own_base() -> str:
    open_thread("")
    return own_base().id
