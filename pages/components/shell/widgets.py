"""What several pages draw alike: dialogs, buttons of an icon, choices, search fields and pages of lists."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

import streamlit as st

_OPEN = "dialog-open"
Body = Callable[..., None]
Option = TypeVar("Option")


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


def icon_button(icon: str, words: str, key: str, act: Callable[..., None], *args: object) -> None:
    """Draw a button of an icon alone. icon: name of a symbol; words: shown beside the pointer."""
    st.button("", key=key, icon=f":material/{icon}:", help=words, type="tertiary", on_click=act, args=args)


def decided(do: str, keep: str, key: str, **do_with: Any) -> bool:
    """Draw the buttons of a dialog that deletes; whether it was clicked. do_with: how st.button draws the first."""
    with st.container(horizontal=True):
        clicked = st.button(do, type="primary", icon=":material/delete:", key=f"{key}-do", **do_with)
        if st.button(keep, key=f"{key}-keep"):
            st.rerun()
    return clicked


def refresh_page() -> None:
    """Rerun the page from a part that refreshes by itself; postponed while a dialog is open, which would close."""
    if not st.session_state.get(_OPEN):
        st.rerun()


def search_field(words: str, key: str, hint: str = "", width: int = 0, live: bool = True) -> str:
    """What is typed into a field without a visible label. hint: in the field, instead of the words; 0: whole width."""
    typed = st.text_input(
        words,
        key=key,
        type="search",
        live=live,
        placeholder=hint or words,
        icon=":material/search:",
        label_visibility="collapsed",
        width=width or "stretch",
    )
    return typed or ""


def choice(
    words: str, options: Sequence[Option], key: str, named: Callable[[Option], str], **looks: Any
) -> Option | None:
    """Choice from a list without a visible label. named: words of an option; looks: how st.selectbox draws it."""
    chosen: Option | None = st.selectbox(
        words, options, key=key, format_func=named, label_visibility="collapsed", **looks
    )
    return chosen


def one_of(words: str, options: Sequence[Option], named: Callable[[Option], str], **looks: Any) -> Option:
    """One of a few options beside each other, without a visible label. looks: how st.segmented_control draws them."""
    chosen: Option = st.segmented_control(
        words, options, required=True, format_func=named, **{"label_visibility": "collapsed", **looks}
    )
    return chosen


def offset_of_page(count: int, size: int, key: str, first: int = 0) -> int:
    """Offset of the chosen page of a list; draws the choice if there are several. first: an entry of the first one."""
    pages = -(-count // size)
    number = st.pagination(pages, default=first // size + 1, key=f"{key}-{pages}") if pages > 1 else 1
    return (number - 1) * size
