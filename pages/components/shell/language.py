"""The language of the interface and the texts in it."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

import streamlit as st

from core.platform.texts import LANGUAGES, NAMES, of_locale, text

PARAMETER = "lang"
COOKIE = "graphtalk-language"
"""Language that was picked in this browser; written by `live_html.js`."""
_CHOSEN = "interface-language"
_PICKED = "interface-language-picked"
_LANGUAGE: ContextVar[str] = ContextVar("spoken", default="")


def language() -> str:
    """One of LANGUAGES: the choice of this session, else the address's, else this browser's last one, else its own."""
    if _LANGUAGE.get():
        return _LANGUAGE.get()
    picked = st.session_state.get(_CHOSEN) or st.query_params.get(PARAMETER) or st.context.cookies.get(COOKIE)
    return picked if picked in LANGUAGES else of_locale(st.context.locale or "")


@contextmanager
def use_language(interface: str) -> Iterator[None]:
    """Context manager that sets the language for routes, which have no session."""
    token = _LANGUAGE.set(interface)
    try:
        yield
    finally:
        _LANGUAGE.reset(token)


def t(key: str, /, **params: object) -> str:
    """The text of `key` in the interface language. Parameters are inserted verbatim: escape untrusted ones."""
    return text(key, language(), **params)


def joined(words: Iterable[str]) -> str:
    """The words one after another, with the comma of the interface language between them."""
    return t("answer.graph.comma").join(words)


def keep_language() -> None:
    """Remember the language for the session, and in the address so that a reload keeps it."""
    current = language()
    st.session_state[_CHOSEN] = current
    if current == of_locale(st.context.locale or ""):
        st.query_params.pop(PARAMETER, None)
    elif st.query_params.get(PARAMETER) != current:
        st.query_params[PARAMETER] = current


def language_picker() -> None:
    names = list(NAMES)
    st.selectbox(
        t("frame.language"),
        names,
        index=names.index(language()),
        format_func=NAMES.__getitem__,
        key="language-picker",
        label_visibility="collapsed",
        on_change=_pick,
    )


def picked_language() -> str:
    """Language picked in this session; empty if none was."""
    return str(st.session_state.get(_PICKED, ""))


def _pick() -> None:
    st.session_state[_CHOSEN] = st.session_state[_PICKED] = st.session_state["language-picker"]
