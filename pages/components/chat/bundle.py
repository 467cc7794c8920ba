"""An answer with its evidence as one HTML file: passages, pages, subgraph and run.

The file loads nothing and runs nothing; its own policy forbids both.
"""

import base64
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from core.graph.layout.force_layout import layout
from core.platform.errors import AppError
from core.runs.history.touched_entities import asked_about
from core.runs.history.view import RunView
from core.runs.model import Run
from core.search.model import Citation, Passage
from pages.components.documents.facts import page_words
from pages.components.documents.quote import quote_html
from pages.components.run.citation_html import outline
from pages.components.run.run_html import run_parts
from pages.components.run.run_views import view_of
from pages.components.run.turn_actions import Beside, facts_part
from pages.components.run.turn_html import addresses_of, question_html, state_part
from pages.components.shell.downloads import download_button
from pages.components.shell.language import language, t
from pages.components.shell.services import services
from pages.components.shell.style import stylesheet
from pages.components.shell.text import NO_HTML, Html, answer_html, html_of, render, style_element

MOST_DRAWN = 30
"""Limit of entities that keeps the picture readable."""
PICTURE_WIDTH, PICTURE_HEIGHT, EDGE = 900, 520, 70
MAX_NAME = 28
MAX_PAGES = 8
"""Pages with images; a few hundred kilobytes each."""
MOST_NAMED = 14
"""Limit of the subgraph's entities if no step looked any up: passages name many that the answer is not about."""
WIDTH = 900
MAX_PASSAGE = 6_000
STYLE = Path(__file__).with_suffix(".css")


def offer_bundle(run: Run) -> None:
    """Draw the dialog that makes the file, which takes a while because pages are rendered."""
    st.caption(t("chat.bundle.what"))
    with st.spinner(t("chat.bundle.making")):
        written = bundle_html(run, view_of(run))
    words = t("chat.bundle.save")
    download_button(words, "answer.html", "text/html", lambda: written, "answer.exported", run.id)


def bundle_html(run: Run, view: RunView) -> Html:
    chips = {citation.number: citation for citation in view.citations}
    body = render(
        "chat/bundle.html",
        "body",
        parts=[question_html(view.question), facts_part(run, view, Beside()), state_part(view)],
        answer=answer_html(view.laid_out, chips, _chip, view.unsupported, addresses_of(view)),
        sources=_sources(view.citations),
        subgraph=_subgraph_svg(run.base_id, _entities(run, view)),
        steps=[html for name, html in run_parts(view) if name not in ("enlarged", "drawing")],
    )
    styles = style_element(stylesheet() + STYLE.read_text(encoding="utf-8"))
    title = view.question
    return render("chat/bundle.html", "document", language=language(), title=title, styles=styles, body=body)


def _entities(run: Run, view: RunView) -> Sequence[str]:
    """Ids of the entities that its steps looked up in the graph, else of those that question and evidence name."""
    return view.entity_ids or asked_about(view, run.base_id, services().graph, MOST_NAMED)


def _chip(number: int) -> Html:
    return render("chat/bundle.html", "chip", number=number)


def _sources(citations: Sequence[Citation]) -> list[Html]:
    """Sources with their passages; the first ones with the image of their page."""
    found = services().library.passages.get([it.chunk_id for it in citations if not it.url])
    passages = {passage.chunk.id: passage for passage in found}
    return [_source(it, passages.get(it.chunk_id), at < MAX_PAGES) for at, it in enumerate(citations)]


def _source(citation: Citation, passage: Passage | None, pictured: bool) -> Html:
    quoted = [piece.strip() for piece in citation.text.split("…")]
    return render(
        "chat/bundle.html",
        "source",
        number=citation.number,
        name=citation.document_name,
        where=citation.url or page_words(citation.document_name, citation.page),
        text=(quote_html(passage.chunk.text, quoted, MAX_PASSAGE) if passage else html_of(citation.text, MAX_PASSAGE)),
        page=_page(citation) if pictured and not citation.url else NO_HTML,
    )


def _page(citation: Citation) -> Html:
    """Page of a citation; empty if the document has no page images or was deleted."""
    images = services().lifecycle.page_images
    boxes = [box for page, box in citation.boxes if page == citation.page]
    try:
        image = base64.b64encode(images.png(citation.document_id, citation.page, WIDTH)).decode()
        lines = images.quoted(citation.document_id, citation.page, citation.text, boxes)
    except AppError:
        return NO_HTML
    marks = [*(("gt-box", *outline(box)) for box in boxes), *(("gt-quoted", *outline(line)) for line in lines)]
    return render("chat/bundle.html", "page_image", number=citation.page + 1, image=image, marks=marks)


def _subgraph_svg(base_id: str, entity_ids: Sequence[str]) -> Html:
    """SVG of the entities; empty if they no longer exist."""
    view = services().graph.view(base_id, entity_ids[:MOST_DRAWN], 0, MOST_DRAWN) if entity_ids else None
    if view is None or not view.entities:
        return NO_HTML
    number = {entity.id: at for at, entity in enumerate(view.entities)}
    joined = [it for it in view.relations if it.source_id in number and it.target_id in number]
    ends = [(number[it.source_id], number[it.target_id]) for it in joined]
    places = _places([(float(x), float(y)) for x, y in layout(len(number), ends, [it.weight for it in joined])])
    lines = [(*places[one], *places[other]) for one, other in ends]
    nodes = [(entity.name, *place) for entity, place in zip(view.entities, places, strict=True)]
    return render(
        "chat/bundle.html",
        "subgraph",
        width=PICTURE_WIDTH,
        height=PICTURE_HEIGHT,
        lines=lines,
        nodes=nodes,
        limit=MAX_NAME,
    )


def _places(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Points scaled to the picture."""
    low = (min(x for x, _ in points), min(y for _, y in points))
    span = (max(x for x, _ in points) - low[0] or 1.0, max(y for _, y in points) - low[1] or 1.0)
    room = (PICTURE_WIDTH - 2 * EDGE, PICTURE_HEIGHT - 2 * EDGE)
    return [(EDGE + (x - low[0]) / span[0] * room[0], EDGE + (y - low[1]) / span[1] * room[1]) for x, y in points]
