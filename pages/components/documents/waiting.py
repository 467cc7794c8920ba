"""Uploads that await the user's decision, listed until decided, even after the page was closed."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.documents.lifecycle.pending_uploads import DAYS, Held, UploadQuestion
from core.documents.model import Document
from pages.components.documents.arrival import accepted
from pages.components.documents.facts import counted_in_words, size
from pages.components.documents.graph_files import waiting_graph
from pages.components.documents.start import ask_to_start, leave_out
from pages.components.shell.language import joined, t
from pages.components.shell.services import services
from pages.components.shell.text import Html, render
from pages.components.shell.times import ago


def waiting_uploads(base_id: str) -> None:
    """Shows nothing if no upload of this base waits."""
    waiting_graph(base_id)
    waiting = services().lifecycle.uploads.pending.entries(base_id)
    if not waiting:
        return
    _ask_about_changed([held for held in waiting if held.question is UploadQuestion.CHANGED])
    ask_to_start([held for held in waiting if held.question is UploadQuestion.START])
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(t("documents.waiting.kept", days=DAYS), width="content")
        if len(waiting) > 1:
            words = t("documents.waiting.discard", count=len(waiting))
            st.button(words, type="tertiary", key="waiting-discard", on_click=leave_out, args=(waiting,))


def _ask_about_changed(waiting: Sequence[Held]) -> None:
    for place, held in enumerate(waiting):
        old = services().lifecycle.intake.earlier(held.base_id, held.name, held.sha256)
        with st.container(border=True, key=f"changed-{place}"):
            st.html(_question_html(held, old))
            with st.container(horizontal=True):
                _changed_buttons(held)
    if len(waiting) > 1:
        words = t("documents.changed.replace_all", count=len(waiting))
        st.button(words, key="changed-replace-all", on_click=_answer, args=(waiting, "replace"))


def _changed_buttons(held: Held) -> None:
    """By the id of the upload, so that a second click does not answer for the next one."""
    for answer, kind in (("replace", "primary"), ("both", "secondary"), ("leave", "tertiary")):
        st.button(
            t(f"documents.changed.{answer}"),
            type=kind,  # type: ignore[arg-type]  # a literal each
            key=f"changed-{answer}-{held.id}",
            on_click=_answer,
            args=([held], answer),
        )


def _question_html(held: Held, old: Document | None) -> Html:
    """Both files with their differences; the old one may have been deleted meanwhile."""
    before, _, after = t("documents.changed.question", name="\0").partition("\0")
    difference = ""
    if old:
        facts = [t("documents.added", when=ago(old.added_at)), size(old.size), counted_in_words("chunks", old.chunks)]
        difference = t("documents.changed.old", facts=joined(facts), size=size(held.size))
    return render(
        "documents/document.html", "changed", before=before, name=held.name, after=after, difference=difference
    )


def _answer(waiting: Sequence[Held], answer: str) -> None:
    if answer == "leave":
        leave_out(waiting)
        return
    uploads = services().lifecycle.uploads
    for held in waiting:
        accepted(held.name, partial(uploads.answer_changed, held, answer == "replace"))
