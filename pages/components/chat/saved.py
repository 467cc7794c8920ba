"""Saved questions with variables: offered next to the field, or found by typing /words into it."""

import re
from collections.abc import Sequence

import streamlit as st

from core.platform.errors import InputError
from core.platform.ids import content_id
from core.runs.model import MAX_QUESTION
from pages.components.chat.files import BROUGHT
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of
from pages.components.shell.widgets import icon_button

MOST = 50
MAX_SHOWN = 160
_KEPT = "saved-questions"
_TURN = "saved-turn"
"""Session key of a number that changes to close the popover and empty its field."""
_OFFERED = "saved-offered"
_VALUE = "saved-value-"
COMMAND = "/"
MAX_VALUE = 400
_VARIABLE = re.compile(r"\{([^{}\n]{1,40})\}")


def saved_picker() -> None:
    turn = st.session_state.setdefault(_TURN, 0)
    with st.popover(t("chat.saved.label"), icon=":material/bookmark:", key=f"saved-{turn}"):
        st.caption(t("chat.saved.help"))
        for place, question in enumerate(_kept()):
            _row(place, question)
        example = t("chat.saved.new_hint", place=t("chat.saved.new_hint_place"))
        key = f"saved-new-{turn}"
        st.text_area(t("chat.saved.new"), key=key, max_chars=MAX_QUESTION, placeholder=example, on_change="ignore")
        st.button(t("chat.saved.save"), key="saved-save", on_click=_save_typed, icon=":material/bookmark_add:")


def keep_question(question: str) -> None:
    """Save a question as the first of the list, once; the oldest is dropped above the limit."""
    words = question.strip()[:MAX_QUESTION]
    if words:
        services().storage.access.preferences.keep(_KEPT, [words, *(it for it in _kept() if it != words)][:MOST])


def is_command(typed: str) -> bool:
    """Whether it is / with words of a saved question; a path such as /etc/hosts begins a question of its own."""
    return typed.startswith(COMMAND) and COMMAND not in typed.removeprefix(COMMAND)


def called(command: str) -> InputError | None:
    """Offers the saved questions that have its words when the page is drawn, all for / alone; an error for none."""
    words = command.removeprefix(COMMAND).split()
    found = [question for question in _kept() if all(word.casefold() in question.casefold() for word in words)]
    if not found:
        return InputError("chat.saved.none" if words else "chat.saved.empty", words=label(" ".join(words), MAX_SHOWN))
    if len(found) == 1:
        _take(found[0])
    else:
        st.session_state[_OFFERED] = found
    return None


def offer_saved() -> None:
    """Opens the dialog of the questions that a command or a click chose."""
    if found := st.session_state.pop(_OFFERED, None):
        st.dialog(t("chat.saved.label"))(_choose)(found)


def _choose(found: Sequence[str]) -> None:
    question = st.selectbox(
        t("chat.saved.which"), found, key="saved-which", format_func=lambda it: label(it, MAX_SHOWN)
    )
    with st.form("saved-values", border=False):  # Enter sends it
        for name in dict.fromkeys(_VARIABLE.findall(question)):
            st.text_input(label(name, 40), max_chars=MAX_VALUE, key=f"{_VALUE}{name}")
        if st.form_submit_button(t("chat.saved.use"), type="primary", on_click=_fill, args=(question,)):
            st.rerun()


def _fill(question: str) -> None:
    """Put the question into the field with the values of its variables; empty ones stay variables."""

    def value_of(variable: re.Match[str]) -> str:
        return str(st.session_state.get(f"{_VALUE}{variable[1]}") or "").strip() or variable[0]

    st.session_state[BROUGHT] = _VARIABLE.sub(value_of, question)


def _kept() -> list[str]:
    kept = services().storage.access.preferences.all().get(_KEPT)
    return [it for it in kept if isinstance(it, str)] if isinstance(kept, list) else []


def _row(place: int, question: str) -> None:
    with st.container(horizontal=True, wrap=False, gap=None, vertical_alignment="center"):
        words = markdown_of(question, MAX_SHOWN)
        st.button(words, key=f"saved-ask-{place}", type="tertiary", width="stretch", on_click=_take, args=(question,))
        key = f"saved-drop-{content_id(question)}"  # a second click does not drop the next one
        icon_button("close", t("chat.saved.drop"), key, _drop, question)


def _take(question: str) -> None:
    """Put the question into the field; its variables are asked for first."""
    if _VARIABLE.search(question):
        st.session_state[_OFFERED] = [question]
    else:
        st.session_state[BROUGHT] = question
    st.session_state[_TURN] = st.session_state.get(_TURN, 0) + 1


def _drop(question: str) -> None:
    services().storage.access.preferences.keep(_KEPT, [it for it in _kept() if it != question])


def _save_typed() -> None:
    keep_question(st.session_state[f"saved-new-{st.session_state[_TURN]}"])
    st.session_state[_TURN] += 1
