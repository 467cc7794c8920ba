"""A file that was uploaded under the name of another one: it replaces the old one, or both are kept."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from core.domain.documents import Document
from pages.components.document_facts import counted_in_words, size
from pages.components.language import t
from pages.components.text import html_of
from pages.components.times import ago

_KEY = "documents-changed"


@dataclass(frozen=True, slots=True)
class Changed:
    """An upload that waits for the answer."""

    name: str
    data: bytes
    base_id: str
    old: Document


Take = Callable[[Changed, str], None]
"""(upload, id of the document that it replaces or "")"""


def hold(changed: Changed) -> None:
    st.session_state[_KEY] = [*_held(), changed]


def ask_about_changed(base_id: str, take: Take) -> None:
    """Nothing when no upload of this base waits."""
    waiting = [(place, changed) for place, changed in enumerate(_held()) if changed.base_id == base_id]
    for place, changed in waiting:
        with st.container(border=True, key=f"changed-{place}"):
            st.html(_question_html(changed))
            with st.container(horizontal=True):
                for answer, kind in (("replace", "primary"), ("both", "secondary"), ("leave", "tertiary")):
                    st.button(
                        t(f"documents.changed.{answer}"),
                        type=kind,  # type: ignore[arg-type]  # a literal each
                        key=f"changed-{answer}-{place}",
                        on_click=_answer,
                        args=([place], answer, take),
                    )
    if len(waiting) > 1:
        places = [place for place, _ in waiting]
        words = t("documents.changed.replace_all", count=len(places))
        st.button(words, key="changed-replace-all", on_click=_answer, args=(places, "replace", take))


def _held() -> list[Changed]:
    held: list[Changed] = st.session_state.get(_KEY, [])
    return held


def _question_html(changed: Changed) -> str:
    old = changed.old
    facts = [t("documents.added", when=ago(old.added_at)), size(old.size), counted_in_words("chunks", old.chunks)]
    told = t("documents.changed.question", name="\0").partition("\0")
    before, after = html_of(told[0]), html_of(told[2])
    was = html_of(t("documents.changed.old", facts=", ".join(facts), size=size(len(changed.data))))
    return f'<p class="gt-changed">{before}<b>{html_of(changed.name, 140)}</b>{after}</p><p class="gt-note">{was}</p>'


def _answer(places: list[int], answer: str, take: Take) -> None:
    held = _held()
    st.session_state[_KEY] = [changed for place, changed in enumerate(held) if place not in places]
    for place in places:
        if answer != "leave":
            take(held[place], held[place].old.id if answer == "replace" else "")
