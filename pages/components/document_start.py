"""Work that waits for a person's word, because a model reads along: uploads before they start, and paused documents."""

from collections.abc import Callable, Sequence

import streamlit as st

from core.domain.documents import Document
from core.errors import AppError
from pages.components.boundary import sentence_of
from pages.components.document_arrival import Arrival, costly, let_go, take
from pages.components.document_effort import effort_words
from pages.components.document_notices import notify
from pages.components.language import t
from pages.components.services import services
from pages.components.text import html_of


def ask_to_start(base_id: str) -> None:
    """Nothing when no upload of this base waits."""
    waiting = costly(base_id)
    for place, arrival in enumerate(waiting):
        with st.container(border=True, key=f"costly-{place}"):
            st.html(start_html(arrival))
            with st.container(horizontal=True):
                words = t("documents.start.do")
                st.button(words, type="primary", key=f"start-{place}", on_click=_start, args=([arrival],))
                leave = t("documents.changed.leave")
                st.button(leave, type="tertiary", key=f"start-leave-{place}", on_click=let_go, args=(arrival,))
    if len(waiting) > 1:
        words = t("documents.start.all", count=len(waiting))
        st.button(words, key="start-all", on_click=_start, args=(waiting,))


def start_html(arrival: Arrival) -> str:
    effort = effort_words(arrival.effort) if arrival.effort else []
    facts = "".join(f"<li>{html_of(fact)}</li>" for fact in effort)
    limit = services().settings.ingest_max_tokens
    above = bool(limit and arrival.effort and arrival.effort.tokens > limit)
    why = html_of(t("documents.start.above" if above else "documents.start.why", limit=f"{limit:,}"))
    name = html_of(arrival.name, 140)
    return f'<p class="gt-changed"><b>{name}</b></p><ul class="gt-facts">{facts}</ul><p class="gt-note">{why}</p>'


def paused_words(document: Document) -> str:
    """Why it waits, with what it is estimated to take; plain text."""
    limit = services().settings.ingest_max_tokens
    effort = ", ".join(effort_words(document.estimate)) if document.estimate else ""
    return t("documents.start.paused", limit=f"{limit:,}", effort=effort)


def paused_buttons(document: Document) -> None:
    intake = services().intake
    for key, act in (("go_on", intake.resume), ("cancel", intake.cancel)):
        st.button(
            t(f"documents.start.{key}"), key=f"paused-{key}-{document.id}", on_click=_try, args=(act, document.id)
        )


def _start(arrivals: Sequence[Arrival]) -> None:
    let_go(*arrivals)
    for arrival in arrivals:
        take(arrival)


def _try(act: Callable[[str], None], document_id: str) -> None:
    try:
        act(document_id)
    except AppError as error:
        notify("refused", sentence_of(error))
