"""Approval of model costs: for uploads before they start and for paused documents."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from core.documents.lifecycle.pending_uploads import Held
from core.documents.model import Document
from pages.components.documents.arrival import accepted
from pages.components.documents.effort import effort_words
from pages.components.documents.notices import attempt
from pages.components.shell.language import joined, t
from pages.components.shell.services import services
from pages.components.shell.text import Html, render


def ask_to_start(waiting: Sequence[Held]) -> None:
    for place, held in enumerate(waiting):
        with st.container(border=True, key=f"costly-{place}"):
            st.html(start_html(held))
            with st.container(horizontal=True):
                # By the id of the upload, so that a second click does not answer for the next one.
                words = t("documents.start.do")
                st.button(words, type="primary", key=f"start-{held.id}", on_click=_start, args=([held],))
                leave = t("documents.changed.leave")
                st.button(leave, type="tertiary", key=f"start-leave-{held.id}", on_click=leave_out, args=([held],))
    if len(waiting) > 1:
        words = t("documents.start.all", count=len(waiting))
        st.button(words, key="start-all", on_click=_start, args=(waiting,))


def start_html(held: Held) -> Html:
    effort = effort_words(held.effort) if held.effort else []
    limit = services().settings.ingest_max_tokens
    above = bool(limit and held.effort and held.effort.tokens > limit)
    key = "above" if above else "why" if limit else "unlimited"
    why = t(f"documents.start.{key}", limit=f"{limit:,}")
    return render("documents/document.html", "costly", name=held.name, effort=effort, why=why)


def paused_words(document: Document) -> str:
    """Reason for the pause with the estimate, as plain text."""
    effort = joined(effort_words(document.estimate)) if document.estimate else ""
    return t("documents.start.paused", effort=effort)


def paused_buttons(document: Document) -> None:
    intake = services().lifecycle.intake
    for key, act in (("go_on", intake.resume), ("cancel", intake.cancel)):
        st.button(
            t(f"documents.start.{key}"),
            key=f"paused-{key}-{document.id}",
            on_click=attempt,
            args=(partial(act, document.id),),
        )


def _start(waiting: Sequence[Held]) -> None:
    uploads = services().lifecycle.uploads
    for held in waiting:
        accepted(held.name, partial(uploads.start, held))


def leave_out(waiting: Sequence[Held]) -> None:
    uploads = services().lifecycle.uploads
    for held in waiting:
        attempt(partial(uploads.leave, held))
