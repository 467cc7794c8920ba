"""An answer with its evidence as one HTML file: passages, pages, subgraph and run.

The file loads nothing and runs nothing; its own policy forbids both.
"""

import base64
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from core.documents.model import Box
from core.platform.errors import AppError
from core.runs.history.touched_entities import asked_about
from core.runs.history.view import RunView
from core.runs.model import Run
from core.search.model import Citation, Passage
from pages.components.chat.subgraph import subgraph_svg
from pages.components.documents.facts import page_words
from pages.components.documents.quote import quote_html
from pages.components.run.branch_html import Beside
from pages.components.run.run_html import run_parts
from pages.components.run.run_views import view_of
from pages.components.run.turn_actions import facts_part
from pages.components.run.turn_html import addresses_of, question_html, state_part
from pages.components.shell.downloads import made_on_click
from pages.components.shell.language import language, t
from pages.components.shell.services import services
from pages.components.shell.style import stylesheet
from pages.components.shell.text import answer_html, html_of

MAX_PAGES = 8
"""Pages with images; a few hundred kilobytes each."""
MOST_NAMED = 14
"""Entities of the subgraph where no step looked any up: passages name many that the answer is not about."""
WIDTH = 900
MAX_PASSAGE = 6_000
STYLE = Path(__file__).with_suffix(".css")
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def offer_bundle(run: Run) -> None:
    """Made when the dialog is opened, because pages are painted for it."""

    @st.dialog(t("chat.bundle.title"))
    def dialog() -> None:
        st.caption(t("chat.bundle.what"))
        with st.spinner(t("chat.bundle.making")):
            written = bundle_html(run, view_of(run))
        st.download_button(
            t("chat.bundle.save"),
            made_on_click(lambda: written, "answer.exported", run.id),
            "answer.html",
            "text/html",
            icon=":material/download:",
            on_click="ignore",
        )

    dialog()


def bundle_html(run: Run, view: RunView) -> str:
    steps = "".join(html for name, html in run_parts(view) if name not in ("enlarged", "drawing"))
    sections = [
        _section("chat.turn.sources", "".join(_sources(view.citations))),
        _section("chat.bundle.graph", subgraph_svg(run.base_id, _entities(run, view))),
        _section("chat.run.title", f'<div class="gt-live run has-numbers">{steps}</div>'),
    ]
    chips = {citation.number: citation for citation in view.citations}
    body = answer_html(view.laid_out, chips, _anchor, view.unsupported, addresses_of(view))
    return (
        f'<!doctype html><html lang="{language()}">{_head(view.question)}'
        f'<body class="gt-live stApp"><main class="gt-live">{question_html(view.question)}'
        f"{facts_part(run, view, Beside())}{state_part(view)}"
        f'<div class="gt-answer">{body}</div>{"".join(sections)}</main></body></html>'
    )


def _head(question: str) -> str:
    return (
        f'<head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{html_of(question, 200)}</title>'
        f"<style>{stylesheet()}{STYLE.read_text(encoding='utf-8')}</style></head>"
    )


def _entities(run: Run, view: RunView) -> Sequence[str]:
    """Those that its steps looked up in the graph, else those that question and evidence name."""
    return view.entity_ids or asked_about(view, run.base_id, services().graph, MOST_NAMED)


def _section(key: str, body: str) -> str:
    return f"<section><h3>{html_of(t(key))}</h3>{body}</section>" if body else ""


def _anchor(number: int) -> str:
    return f'<a class="gt-cite" href="#source-{number}">{number}</a>'


def _sources(citations: Sequence[Citation]) -> list[str]:
    """Each with its passage; the first ones with the image of their page."""
    found = services().library.passages.get([it.chunk_id for it in citations if not it.url])
    passages = {passage.chunk.id: passage for passage in found}
    return [_source(it, passages.get(it.chunk_id), at < MAX_PAGES) for at, it in enumerate(citations)]


def _source(citation: Citation, passage: Passage | None, pictured: bool) -> str:
    where = citation.url or page_words(citation.document_name, citation.page)
    place = ", ".join(filter(None, (html_of(citation.document_name), html_of(where, 300))))
    quoted = [piece.strip() for piece in citation.text.split("…")]
    text = quote_html(passage.chunk.text, quoted, MAX_PASSAGE) if passage else html_of(citation.text, MAX_PASSAGE)
    return (
        f'<article id="source-{citation.number}"><h4>{citation.number}. {place}</h4>'
        f'<div class="gt-passage"><p>{text}</p></div>'
        f"{_page(citation) if pictured and not citation.url else ''}</article>"
    )


def _page(citation: Citation) -> str:
    """Nothing for a document without page images, or one that is gone."""
    images = services().lifecycle.page_images
    boxes = [box for page, box in citation.boxes if page == citation.page]
    try:
        image = base64.b64encode(images.png(citation.document_id, citation.page, WIDTH)).decode()
        lines = images.quoted(citation.document_id, citation.page, citation.text, boxes)
    except AppError:
        return ""
    marks = "".join([*(_mark("gt-box", box) for box in boxes), *(_mark("gt-quoted", line) for line in lines)])
    words = html_of(t("chat.source.image", page=citation.page + 1))
    return f'<figure class="gt-page is-loaded"><img src="data:image/png;base64,{image}" alt="{words}">{marks}</figure>'


def _mark(kind: str, box: Box) -> str:
    left, top, right, bottom = (min(max(value, 0), 1000) / 10 for value in box)
    size = f"width:{max(right - left, 0):.1f}%;height:{max(bottom - top, 0):.1f}%"
    return f'<div class="{kind}" style="left:{left:.1f}%;top:{top:.1f}%;{size}"></div>'
