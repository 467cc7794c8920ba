"""Citations as HTML: chips in the answer, list of sources, and panels with the page and its boxes."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import urlsplit

from core.documents.model import CELL_BREAK, Box
from core.search.model import Citation, Passage
from pages.components.documents.facts import page_words
from pages.components.documents.page_images import page_image_url, quote_url
from pages.components.documents.quote import passage_html
from pages.components.graph.name_links import NO_NAMES, NameLinks
from pages.components.shell.language import t
from pages.components.shell.text import clean, html_of

MAX_NAME = 90
MAX_QUOTE = 1_200
MAX_CELL = 300
MAX_ADDRESS = 20_000
MAX_PASSAGE = 6_000
MAX_BESIDE = 4
"""Documents side by side."""
MAX_PAGES = 3
"""Images per panel; passages over more pages are rare, and their first pages suffice."""


@dataclass(frozen=True, slots=True)
class CitedPlaces:
    """What can be shown of the cited places; documents may have been deleted since."""

    pictured: tuple[str, ...] = ()
    """Ids of the documents whose pages have images."""
    passages: tuple[Passage, ...] = ()
    """The cited passages of the other documents."""
    names: NameLinks = NO_NAMES
    """The entities of all cited passages."""
    is_over: bool = False
    """Whether the run is: only then are figures looked for."""


def chip(citation: Citation) -> str:
    return (
        f'<button type="button" class="gt-cite" data-opens="{citation.number}" '
        f'aria-label="{html_of(t("chat.source.open", number=citation.number, place=_place(citation)))}">'
        f"{citation.number}</button>"
    )


def sources_html(citations: Sequence[Citation]) -> str:
    """One button per citation, in the order of their numbers."""
    if not citations:
        return ""
    rows = "".join(
        f'<li><button type="button" class="gt-source" data-opens="{c.number}"><b>{c.number}</b>'
        f"<span>{html_of(c.document_name, MAX_NAME)}</span><i>{html_of(whereabouts(c), MAX_NAME)}</i></button></li>"
        for c in citations
    )
    name = html_of(t("chat.source.title"))
    if len(by_document(citations)) > 1:
        beside = html_of(t("chat.source.beside"))
        rows += f'<li><button type="button" class="gt-source" data-opens="beside"><span>{beside}</span></button></li>'
    return f'<ol class="gt-sources" aria-keyshortcuts="Alt+C" title="Alt+C" aria-label="{name}">{rows}</ol>'


def panels_html(citations: Sequence[Citation], evidence: CitedPlaces) -> str:
    """One dialog per citation: the quoted words, and the page or else the surrounding passage; one of all documents."""
    panels = "".join(_panel(citation, len(citations) > 1, evidence) for citation in citations)
    return panels + _beside(citations, evidence)


def by_document(citations: Sequence[Citation]) -> dict[str, list[Citation]]:
    """In the order in which they are cited; without pages of the web."""
    found: dict[str, list[Citation]] = {}
    for citation in citations:
        if citation.document_id:
            found.setdefault(citation.document_id, []).append(citation)
    return found


def _beside(citations: Sequence[Citation], evidence: CitedPlaces) -> str:
    """The documents side by side: what is quoted of each, and where its first quote stands."""
    documents = by_document(citations)
    if len(documents) < 2:
        return ""
    columns = "".join(_column(of_one, evidence) for of_one in list(documents.values())[:MAX_BESIDE])
    title = html_of(t("chat.source.beside"))
    return (
        f'<dialog class="gt-panel gt-compare" data-panel="beside" aria-label="{title}">'
        f"<header><div><h3>{title}</h3></div><nav>{_button('closes', '', 'close', 'chat.source.close')}</nav></header>"
        f'<div class="gt-panel-body gt-columns" tabindex="0">{columns}</div></dialog>'
    )


def _column(citations: Sequence[Citation], evidence: CitedPlaces) -> str:
    quotes = "".join(
        f'<p><b class="gt-cite">{it.number}</b> {html_of(whereabouts(it), MAX_NAME)}</p>'
        f"<blockquote>{_quoted(it, evidence)}</blockquote>"
        for it in citations
    )
    first = citations[0]
    place = _pages(first) if first.document_id in evidence.pictured else _passage(first, evidence)
    return f"<section><h4>{html_of(first.document_name, MAX_NAME)}</h4>{quotes}{place}</section>"


def _panel(citation: Citation, turns: bool, evidence: CitedPlaces) -> str:
    name, where = html_of(citation.document_name, MAX_NAME), html_of(whereabouts(citation), MAX_NAME)
    pages = _pages(citation) if citation.document_id in evidence.pictured else _passage(citation, evidence)
    return (
        f'<dialog class="gt-panel" data-panel="{citation.number}" aria-label="{html_of(_place(citation))}">'
        f'<header><b class="gt-cite">{citation.number}</b><div><h3>{name}</h3><p>{where}</p></div>'
        f"<nav>{_turns() if turns else ''}{_button('closes', '', 'close', 'chat.source.close')}</nav></header>"
        f'<div class="gt-panel-body"><blockquote>{_quoted(citation, evidence)}</blockquote>'
        f"{pages}</div><footer>{_links(citation)}</footer></dialog>"
    )


def _quoted(citation: Citation, evidence: CitedPlaces) -> str:
    """A row of a table as a small table of its own, the cell marked that the answer tells."""
    draw = evidence.names.of_chunk(citation.chunk_id)
    if not citation.row:
        return draw(clean(citation.text, MAX_QUOTE))
    heads = "".join(f'<th scope="col">{html_of(name, MAX_CELL)}</th>' for name in citation.row.columns)
    cells = "".join(
        f"<td><mark>{draw(clean(cell, MAX_CELL))}</mark></td>"
        if at == citation.row.marked
        else f"<td>{draw(clean(cell, MAX_CELL))}</td>"
        for at, cell in enumerate(citation.row.cells)
    )
    return f'<table class="gt-row"><thead><tr>{heads}</tr></thead><tbody><tr>{cells}</tr></tbody></table>'


def _turns() -> str:
    previous = _button("turns", "-1", "chevron_left", "chat.source.previous")
    return previous + _button("turns", "1", "chevron_right", "chat.source.next")


def _button(kind: str, value: str, icon: str, key: str) -> str:
    words = html_of(t(key))
    return (
        f'<button type="button" class="gt-icon" data-{kind}="{value}" aria-label="{words}" title="{words}">'
        f'<span class="gt-symbol" aria-hidden="true">{icon}</span></button>'
    )


def _links(citation: Citation) -> str:
    if citation.url:
        return (
            f'<a class="gt-button" href="{html_of(citation.url)}" target="_blank" rel="noopener noreferrer nofollow">'
            f"{html_of(t('chat.source.open_web'))}</a>"
        )
    place = json.dumps({"document": citation.document_id, "page": citation.page, "chunk": citation.chunk_id})
    return "".join(
        f'<button type="button" class="gt-button" data-event="{event}" data-value="{html_of(place)}">'
        f'<span class="gt-symbol" aria-hidden="true">{icon}</span>{html_of(t(f"chat.source.{event}"))}</button>'
        for event, icon in (("document", "description"), ("graph", "hub"))
    )


def _passage(citation: Citation, evidence: CitedPlaces) -> str:
    """The whole passage with the quoted sentences marked, for a document without page images."""
    if citation.url:
        return ""
    passage = next((passage for passage in evidence.passages if passage.chunk.id == citation.chunk_id), None)
    if not passage:
        return f'<p class="gt-note">{html_of(t("chat.source.gone"))}</p>'
    begins = passage.chunk.section and passage.chunk.text.startswith(passage.chunk.section[-1])
    section = " › ".join(passage.chunk.section[:-1] if begins else passage.chunk.section)
    quoted = [piece.strip() for piece in citation.text.split("…")]
    quoted += [CELL_BREAK.join(citation.row.cells)] if citation.row else []
    head = f"<h4>{html_of(section, 200)}</h4>" if section else ""
    text = passage_html(passage.chunk.text, quoted, MAX_PASSAGE, evidence.names.of_chunk(citation.chunk_id))
    return f'<div class="gt-passage">{head}{text}</div>'


def _pages(citation: Citation) -> str:
    """The pages with their boxes; only the page if the parser gave no box."""
    pages = [(page, [box for _, box in boxes]) for page, boxes in groupby(citation.boxes, key=lambda pair: pair[0])]
    shown = pages[:MAX_PAGES] or [(citation.page, [])]
    return "".join(_page(citation, page, boxes) for page, boxes in shown)


def _page(citation: Citation, page: int, boxes: Sequence[Box]) -> str:
    """With the outlined boxes; where the quoted words stand in them is looked up when the panel is opened."""
    words = html_of(t("chat.source.image", page=page + 1))
    outlines = "".join(_outline(box) for box in boxes)
    source = html_of(page_image_url(citation.document_id, page))
    marks = html_of(quote_url(citation.document_id, page, citation.text, boxes), MAX_ADDRESS)
    return f'<figure class="gt-page" data-marks="{marks}"><img data-src="{source}" alt="{words}">{outlines}</figure>'


def _outline(box: Box) -> str:
    """Converts thousandths of the page to per cent of the image."""
    x0, y0, x1, y1 = (min(max(value, 0), 1000) / 10 for value in box)
    width, height = max(x1 - x0, 0), max(y1 - y0, 0)
    return (
        f'<div class="gt-box" style="left:{x0:.1f}%;top:{y0:.1f}%;width:{width:.1f}%;height:{height:.1f}%" '
        'aria-hidden="true"></div>'
    )


def _place(citation: Citation) -> str:
    return ", ".join(filter(None, (citation.document_name[:MAX_NAME], whereabouts(citation))))


def whereabouts(citation: Citation) -> str:
    """The page of a document that has some, or the site on the web."""
    if citation.url:
        return t("chat.source.web", host=urlsplit(citation.url).hostname or "")
    return page_words(citation.document_name, citation.page)
