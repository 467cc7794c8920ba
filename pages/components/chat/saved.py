"""Questions kept to be asked again: beside the field, one click puts them into it."""

import streamlit as st

from core.runs.model import MAX_QUESTION
from pages.components.chat.files import BROUGHT
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import markdown_of

MOST = 50
MAX_SHOWN = 160
_KEPT = "saved-questions"
_TURN = "saved-turn"
"""Changed where the popover is to close, and its field to be empty."""


def saved_picker() -> None:
    turn = st.session_state.setdefault(_TURN, 0)
    with st.popover(t("chat.saved.label"), icon=":material/bookmark:", key=f"saved-{turn}"):
        st.caption(t("chat.saved.help"))
        for place, question in enumerate(_kept()):
            _row(place, question)
        st.text_area(
            t("chat.saved.new"), key=f"saved-new-{turn}", max_chars=MAX_QUESTION, placeholder=t("chat.saved.new_hint")
        )
        st.button(t("chat.saved.save"), key="saved-save", on_click=_save_typed, icon=":material/bookmark_add:")


def keep_question(question: str) -> None:
    """First in the list; once, and the oldest goes where there are too many."""
    words = question.strip()[:MAX_QUESTION]
    if words:
        services().storage.access.preferences.keep(_KEPT, [words, *(it for it in _kept() if it != words)][:MOST])


def _kept() -> list[str]:
    kept = services().storage.access.preferences.all().get(_KEPT)
    return [it for it in kept if isinstance(it, str)] if isinstance(kept, list) else []


def _row(place: int, question: str) -> None:
    with st.container(horizontal=True, wrap=False, gap=None, vertical_alignment="center"):
        words = markdown_of(question, MAX_SHOWN)
        st.button(words, key=f"saved-ask-{place}", type="tertiary", width="stretch", on_click=_take, args=(question,))
        st.button(
            "",
            key=f"saved-drop-{place}",
            icon=":material/close:",
            type="tertiary",
            help=t("chat.saved.drop"),
            on_click=_drop,
            args=(question,),
        )


def _take(question: str) -> None:
    """Into the field, to be changed or sent."""
    st.session_state[BROUGHT] = question
    st.session_state[_TURN] += 1


def _drop(question: str) -> None:
    services().storage.access.preferences.keep(_KEPT, [it for it in _kept() if it != question])


def _save_typed() -> None:
    keep_question(st.session_state[f"saved-new-{st.session_state[_TURN]}"])
    st.session_state[_TURN] += 1
