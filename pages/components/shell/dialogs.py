"""Dialogs that stay open while the page below them refreshes by itself."""

from collections.abc import Callable
from typing import Literal

import streamlit as st

_OPEN = "dialog-open"
Body = Callable[..., None]


def begin_without_dialog() -> None:
    """Note that no dialog is open, at the beginning of each run of the page, which closes them."""
    st.session_state[_OPEN] = False


def dialog(title: str, width: Literal["small", "large"] = "small") -> Callable[[Body], Body]:
    """Dialog like st.dialog for pages with parts that refresh by themselves; title is Markdown."""

    def decorated(body: Body) -> Body:
        shown = st.dialog(title, width=width, on_dismiss="rerun")(body)

        def show(*args: object) -> None:
            st.session_state[_OPEN] = True
            shown(*args)

        return show

    return decorated


def refresh_page() -> None:
    """Rerun the page from a part that refreshes by itself; postponed while a dialog is open, which would close."""
    if not st.session_state.get(_OPEN):
        st.rerun()
