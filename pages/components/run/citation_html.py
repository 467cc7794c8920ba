"""Citations and passages as HTML: chips, sources, panels with the page and its boxes, nearest sentences marked."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from urllib.parse import urlsplit

from core.documents.model import CELL_BREAK, Block, Box
from core.runs.history.view import RunView
from core.runs.model import AnswerOutcome, RunStatus
from core.search.model import Citation, FoundPassage, Passage, ShownPassage
from pages.components.documents.facts import page_words
from pages.components.documents.quote import passage_html
from pages.components.documents.routes import figure_url, page_image_url, quote_url
from pages.components.graph.types import NO_NAMES, NameLinks
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import NO_HTML, Html, answer_html, clean, render, web_address

MAX_NAME = 90
MAX_QUOTE = 1_200
MAX_CELL = 300
MAX_PASSAGE = 6_000
MAX_BESIDE = 4
"""Limit of documents side by side."""
MAX_PAGES = 3
"""Images per panel; passages over more pages are rare, and their first pages suffice."""
FIGURES = ("image", "chart")
MAX_FIGURES = 2
FIGURE_SCALE = 1.4
"""Pixels of a picture for each thousandth of the page's width."""
PAGE_SHAPE = 1.35
"""Height of a page in widths: between A4 and US Letter."""
SHORTEST_MARK = 2
"""Minimum length of a marked line."""


@dataclass(frozen=True, slots=True)
class CitedPlaces:
    """Pages and passages of the citations; documents may have been deleted since."""

    pictured: tuple[str, ...] = ()
    """Ids of the documents whose pages have images."""
    passages: tuple[Passage, ...] = ()
    """The cited passages as they are now."""
    names: NameLinks = NO_NAMES
    """The entities of all cited passages."""
    is_whole: bool = False
    """Whether the answer is: only then figures are looked up."""

    def passage_of(self, citation: Citation) -> Passage | None:
        return next((passage for passage in self.passages if passage.chunk.id == citation.chunk_id), None)

    def is_edited(self, citation: Citation) -> bool:
        """Whether the quoted words came into the passage when it was edited, so that the document lacks them."""
        passage = self.passage_of(citation)
        if passage is None or not passage.chunk.original:
            return False
        now, original = (" ".join(text.split()) for text in (passage.chunk.text, passage.chunk.original))
        pieces = (" ".join(piece.split()) for piece in quoted_pieces(citation))
        return any(piece in now and piece not in original for piece in pieces)


def quoted_pieces(citation: Citation) -> list[str]:
    """The quoted words as they stand in the passage."""
    row = [CELL_BREAK.join(citation.row.cells)] if citation.row else []
    return [*(piece.strip() for piece in citation.text.split("…")), *row]


def chip(citation: Citation) -> Html:
    return render("run/citation.html", "chip", number=citation.number, place=_place(citation))


def sources_html(citations: Sequence[Citation], evidence: CitedPlaces) -> Html:
    """One button per citation, in the order of their numbers."""
    if not citations:
        return NO_HTML
    rows = [(it.number, clean(it.document_name, MAX_NAME), where_words(it, evidence)) for it in citations]
    return render("run/citation.html", "sources", rows=rows, are_comparable=len(by_document(citations)) > 1)


def panels_html(citations: Sequence[Citation], evidence: CitedPlaces) -> Html:
    """One dialog per citation: the quoted words, and the page or else the surrounding passage; one of all documents."""
    panels = [_panel(citation, len(citations) > 1, evidence) for citation in citations]
    return NO_HTML.join([*panels, _beside(citations, evidence)])


def by_document(citations: Sequence[Citation]) -> dict[str, list[Citation]]:
    """Citations by document, in the order of citation; without web pages."""
    found: dict[str, list[Citation]] = {}
    for citation in citations:
        if citation.document_id:
            found.setdefault(citation.document_id, []).append(citation)
    return found


def _beside(citations: Sequence[Citation], evidence: CitedPlaces) -> Html:
    """The documents side by side: what is quoted of each, and the place of its first quote."""
    documents = by_document(citations)
    if len(documents) < 2:
        return NO_HTML
    columns = [_column(of_one, evidence) for of_one in list(documents.values())[:MAX_BESIDE]]
    return render("run/citation.html", "beside", columns=columns)


def _column(citations: Sequence[Citation], evidence: CitedPlaces) -> tuple[str, list[tuple[int, str, Html]], Html]:
    first = citations[0]
    quotes = [(it.number, where_words(it, evidence), _quoted(it, evidence)) for it in citations]
    return clean(first.document_name, MAX_NAME), quotes, _surroundings(first, evidence)


def _panel(citation: Citation, can_turn: bool, evidence: CitedPlaces) -> Html:
    place = {"document": citation.document_id, "page": citation.page, "chunk": citation.chunk_id}
    return render(
        "run/citation.html",
        "panel",
        number=citation.number,
        name=clean(citation.document_name, MAX_NAME),
        where=where_words(citation, evidence),
        title=_place(citation),
        quoted=_quoted(citation, evidence),
        evidence=_surroundings(citation, evidence),
        address=web_address(citation.url),
        place=json.dumps(place),
        can_turn=can_turn,
    )


def _quoted(citation: Citation, evidence: CitedPlaces) -> Html:
    """The quoted words; a row of a table as a table."""
    draw = evidence.names.of_chunk(citation.chunk_id)
    row = citation.row
    if not row:
        return draw(clean(citation.text, MAX_QUOTE))
    cells = [draw(clean(cell, MAX_CELL)) for cell in row.cells]
    return render("run/citation.html", "row", columns=row.columns, cells=cells, marked=row.marked, limit=MAX_CELL)


def _surroundings(citation: Citation, evidence: CitedPlaces) -> Html:
    return _pages(citation) if citation.document_id in evidence.pictured else _passage(citation, evidence)


def _passage(citation: Citation, evidence: CitedPlaces) -> Html:
    """The whole passage with the quoted sentences marked, for a document without page images."""
    if citation.url:
        return NO_HTML
    passage = evidence.passage_of(citation)
    if not passage:
        return render("run/citation.html", "gone")
    text = passage_html(
        passage.chunk.text, quoted_pieces(citation), MAX_PASSAGE, evidence.names.of_chunk(citation.chunk_id)
    )
    section = heading_of(passage.chunk.section, passage.chunk.text)
    return render("run/citation.html", "passage", section=section, text=text)


def heading_of(section: Sequence[str], text: str) -> str:
    """The headings above a passage, without the last one where the text begins with it."""
    begins = section and text.startswith(section[-1])
    return " › ".join(section[:-1] if begins else section)


def _pages(citation: Citation) -> Html:
    """The pages with their boxes; only the page if the parser gave no box.

    Where the quoted words are in the boxes is found when the panel is opened.
    """
    pages = [(page, [box for _, box in boxes]) for page, boxes in groupby(citation.boxes, key=lambda pair: pair[0])]
    shown = [
        (
            page + 1,
            page_image_url(citation.document_id, page),
            quote_url(citation.document_id, page, citation.text, boxes),
            [outline(box) for box in boxes],
        )
        for page, boxes in pages[:MAX_PAGES] or [(citation.page, [])]
    ]
    return render("run/citation.html", "pages", shown=shown)


def outline(box: Box) -> list[str]:
    """Left, top, width and height, in per cent of the image instead of thousandths of the page."""
    x0, y0, x1, y1 = (min(max(value, 0), 1000) / 10 for value in box)
    return [f"{value:.1f}" for value in (x0, y0, max(x1 - x0, 0), max(y1 - y0, 0))]


def _place(citation: Citation) -> str:
    return ", ".join(filter(None, (citation.document_name[:MAX_NAME], whereabouts(citation))))


def where_words(citation: Citation, evidence: CitedPlaces) -> str:
    """The place, and whether the document lacks the quoted words."""
    edited = t("chat.source.edited") if evidence.is_edited(citation) else ""
    return clean(" · ".join(filter(None, (whereabouts(citation), edited))), MAX_NAME)


def whereabouts(citation: Citation) -> str:
    """The page of a document that has some, or the site on the web."""
    if citation.url:
        return t("chat.source.web", host=urlsplit(citation.url).hostname or "")
    return page_words(citation.document_name, citation.page)


def passages_part(view: RunView, evidence: CitedPlaces) -> Html:
    """Passages of the answer, or those that the rules found until a model has answered."""
    if found := view.interim:
        chips = {citation.number: citation for citation in found.citations}
        sources = [citation.text for citation in found.citations]
        return render(
            "run/passages.html",
            "interim",
            words=t("run.by_rules" if view.status is RunStatus.RUNNING else "run.by_rules_alone"),
            answer=answer_html(found.text, chips, lambda number: chip(chips[number]), (), sources),
            passages=_shown(found.passages, found.stands_in, found.citations, evidence),
        )
    shown = _shown(view.passages, view.stands_in, view.citations, evidence) + _shown_beside(view.beside, evidence)
    if view.outcome != AnswerOutcome.ANSWERED:
        return shown
    numbers = {it.number for it in (*view.passages, *([view.stands_in] if view.stands_in else []))}
    figures = [_figures(it, evidence) for it in view.citations if it.number not in numbers]
    return NO_HTML.join([*figures, shown])


def _shown_beside(found: Sequence[FoundPassage], evidence: CitedPlaces) -> Html:
    passages, citations = [it.passage for it in found], [it.citation for it in found]
    shown = _shown(passages, None, citations, evidence)
    return render("run/passages.html", "beside", passages=shown) if found else NO_HTML


def _figures(citation: Citation, evidence: CitedPlaces) -> Html:
    """Pictures and charts whose words or captions are quoted; each opens its page."""
    found: dict[tuple[int, Box], None] = {}
    for page, box in citation.boxes if evidence.is_whole and citation.document_id in evidence.pictured else ():
        if figure := _figure_of(services().library.passages.blocks(citation.document_id, page), box):
            found[page, figure] = None
    shown = [(figure_url(citation.document_id, page, box), *_room_of(box)) for page, box in list(found)[:MAX_FIGURES]]
    return render("run/passages.html", "figures", number=citation.number, shown=shown)


def _room_of(box: Box) -> tuple[int, int]:
    """Width and height in about the shape of the picture, for the room that it takes before it is there."""
    left, top, right, bottom = box
    return round((right - left) * FIGURE_SCALE), round((bottom - top) * FIGURE_SCALE * PAGE_SHAPE)


def _figure_of(blocks: Sequence[Block], quoted: Box) -> Box | None:
    """The box of the quoted picture, or of the picture next to the quoted caption."""
    at = next((at for at, block in enumerate(blocks) if block.box == quoted), None)
    if at is None or blocks[at].type.removesuffix("_caption") not in FIGURES:
        return None
    near = (blocks[at], *blocks[max(at - 1, 0) : at], *blocks[at + 1 : at + 2])
    return next((block.box for block in near if block.type in FIGURES), None)


def _shown(
    passages: Sequence[ShownPassage],
    stands_in: ShownPassage | None,
    citations: Sequence[Citation],
    evidence: CitedPlaces,
) -> Html:
    cited = {citation.number: citation for citation in citations}
    every = [it for it in (*passages, *([stands_in] if stands_in else [])) if it.number in cited]
    if not every:
        return NO_HTML
    drawn = [(it, _shown_passage(it, cited[it.number], evidence)) for it in every]
    return render(
        "run/passages.html",
        "passages",
        open=[html for it, html in drawn if not it.folded],
        folded=[(it.number, next(iter(_marked(it)), it.text), html) for it, html in drawn if it.folded],
    )


def _shown_passage(passage: ShownPassage, citation: Citation, evidence: CitedPlaces) -> Html:
    names = evidence.names.of_chunk(citation.chunk_id)
    return render(
        "run/passages.html",
        "passage",
        number=passage.number,
        name=clean(citation.document_name, MAX_NAME),
        page=where_words(citation, evidence),
        figures=_figures(citation, evidence),
        section=heading_of(passage.section, passage.text),
        text=passage_html(passage.text, _marked(passage), MAX_PASSAGE, names),
    )


def _marked(passage: ShownPassage) -> list[str]:
    """The marked text, line by line."""
    lines = (line.strip() for start, end in passage.marked for line in passage.text[start:end].split("\n"))
    return [line for line in lines if len(line) >= SHORTEST_MARK]
