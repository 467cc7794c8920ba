"""Uploads that await the user's decision, listed until decided, even after the page was closed; graphs to import."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Literal, Protocol

import streamlit as st

from core.documents.lifecycle.graph_import import Imported
from core.documents.lifecycle.pending_uploads import DAYS, Held, UploadQuestion
from core.documents.model import Document
from core.graph.files.json_files import EDGES, NODES
from pages.components.documents.facts import counted_in_words, size
from pages.components.documents.notices import accepted, attempt, notify
from pages.components.documents.progress import effort_words
from pages.components.shell.language import joined, t
from pages.components.shell.services import services
from pages.components.shell.text import Html, label, markdown_of, render
from pages.components.shell.times import ago

_HELD_GRAPH = "graph-files"


class GraphFile(Protocol):
    def getvalue(self) -> bytes: ...


def hold_graph(base_id: str, files: Mapping[str, GraphFile]) -> None:
    """Hold the files until the reader has seen the changes; an unreadable file is refused at once."""
    if len(files) < 2:
        notify("refused", t("documents.upload.graph_half", name=next(iter(files)), nodes=NODES, edges=EDGES))
        return
    held = base_id, files[NODES].getvalue(), files[EDGES].getvalue()
    preview = services().lifecycle.graph_import.preview
    attempt(lambda: st.session_state.update({_HELD_GRAPH: (held, preview(*held))}))


def waiting_graph(base_id: str) -> None:
    """Shows nothing if no graph waits for this base."""
    held, preview = st.session_state.get(_HELD_GRAPH, (None, None))
    if not held or held[0] != base_id:
        return
    with st.container(border=True, key="graph-preview"):
        st.markdown(f"**{t('documents.graph.title')}**")
        counts = {"new": f"{preview.new:,}", "known": f"{preview.known:,}", "stated": f"{preview.stated:,}"}
        st.write(t("documents.graph.changes", documents=preview.documents, **counts))
        if preview.names:
            listed = joined(markdown_of(label(name, 60)) for name in preview.names)
            st.caption(t("documents.graph.first", names=listed))
        with st.container(horizontal=True, gap="small"):
            st.button(t("documents.graph.take"), type="primary", key="graph-take", on_click=_take_graph, args=held)
            st.button(t("chat.turn.cancel"), key="graph-leave", on_click=_forget_graph)


def _take_graph(base_id: str, nodes: bytes, edges: bytes) -> None:
    _forget_graph()
    attempt(lambda: _tell_graph(services().lifecycle.graph_import.take(base_id, nodes, edges)))


def _tell_graph(taken: Imported) -> None:
    counts = {"nodes": f"{taken.nodes:,}", "edges": f"{taken.edges:,}", "documents": f"{taken.documents:,}"}
    notify("done", t("documents.upload.graph_taken", **counts))


def _forget_graph() -> None:
    st.session_state.pop(_HELD_GRAPH, None)


def waiting_uploads(base_id: str) -> None:
    """Shows nothing if no upload of this base waits."""
    waiting_graph(base_id)
    waiting = services().lifecycle.uploads.pending.entries(base_id)
    if not waiting:
        return
    _ask_about_changed([held for held in waiting if held.question is UploadQuestion.CHANGED])
    _ask_to_start([held for held in waiting if held.question is UploadQuestion.START])
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(t("documents.waiting.kept", days=DAYS), width="content")
        if len(waiting) > 1:
            words = t("documents.waiting.discard", count=len(waiting))
            st.button(words, type="tertiary", key="waiting-discard", on_click=_answer, args=(waiting, "changed.leave"))


def _ask_about_changed(waiting: Sequence[Held]) -> None:
    for place, held in enumerate(waiting):
        old = services().lifecycle.intake.earlier(held.base_id, held.name, held.sha256)
        with st.container(border=True, key=f"changed-{place}"):
            st.html(_question_html(held, old))
            with st.container(horizontal=True):
                _button(held, "changed.replace", "primary")
                _button(held, "changed.both", "secondary")
                _button(held, "changed.leave", "tertiary")
    if len(waiting) > 1:
        words = t("documents.changed.replace_all", count=len(waiting))
        st.button(words, key="changed-replace-all", on_click=_answer, args=(waiting, "changed.replace"))


def _button(held: Held, answer: str, kind: Literal["primary", "secondary", "tertiary"]) -> None:
    """By the id of the upload, so that a second click does not answer for the next one."""
    words, key = t(f"documents.{answer}"), f"{answer.replace('.', '-')}-{held.id}"
    st.button(words, type=kind, key=key, on_click=_answer, args=([held], answer))


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


def _ask_to_start(waiting: Sequence[Held]) -> None:
    for place, held in enumerate(waiting):
        with st.container(border=True, key=f"costly-{place}"):
            st.html(_cost_html(held))
            with st.container(horizontal=True):
                _button(held, "start.do", "primary")
                _button(held, "changed.leave", "tertiary")
    if len(waiting) > 1:
        words = t("documents.start.all", count=len(waiting))
        st.button(words, key="start-all", on_click=_answer, args=(waiting, "start.do"))


def _cost_html(held: Held) -> Html:
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


def _answer(waiting: Sequence[Held], answer: str) -> None:
    """answer: key of its text under `documents`."""
    uploads = services().lifecycle.uploads
    for held in waiting:
        if answer == "changed.leave":
            attempt(partial(uploads.leave, held))
        elif answer == "start.do":
            accepted(held.name, partial(uploads.start, held))
        else:
            accepted(held.name, partial(uploads.answer_changed, held, answer == "changed.replace"))
