"""What happened to files, told above the list until the reader has read it."""

from dataclasses import dataclass

import streamlit as st

from pages.components.language import t
from pages.components.text import markdown_of

_KEY = "documents-notices"


@dataclass(frozen=True, slots=True)
class Notice:
    kind: str
    """`refused` or `known`."""
    sentence: str
    """May hold untrusted words."""


def notify(kind: str, sentence: str) -> None:
    st.session_state[_KEY] = [*st.session_state.get(_KEY, []), Notice(kind, sentence)]


def show_notices() -> None:
    notices: list[Notice] = st.session_state.get(_KEY, [])
    for notice in notices:
        show, icon = (st.error, "error") if notice.kind == "refused" else (st.info, "content_copy")
        show(markdown_of(notice.sentence, 600), icon=f":material/{icon}:")
    if notices:
        st.button(t("documents.upload.dismiss"), type="tertiary", on_click=dismiss_notices, key="documents-dismiss")


def dismiss_notices() -> None:
    st.session_state[_KEY] = []
