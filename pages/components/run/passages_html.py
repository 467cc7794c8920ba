"""Passages of a run as HTML, with the nearest sentences marked: the evidence of an answer, or what comes closest."""

from collections.abc import Sequence

from core.documents.model import Block, Box
from core.runs.history.view import RunView
from core.runs.model import AnswerOutcome, RunStatus
from core.search.model import Citation, FoundPassage, ShownPassage
from pages.components.documents.quote import passage_html
from pages.components.documents.routes import figure_url
from pages.components.run.citation_html import MAX_NAME, MAX_PASSAGE, CitedPlaces, chip, heading_of, where_words
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import NO_HTML, Html, answer_html, clean, render

FIGURES = ("image", "chart")
MAX_FIGURES = 2
FIGURE_SCALE = 1.4
"""Pixels of a picture for each thousandth of the page's width."""
PAGE_SHAPE = 1.35
"""Height of a page in widths: between A4 and US Letter."""
SHORTEST_MARK = 2
"""Minimum length of a marked line."""


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
    shown = _shown(view.passages, view.stands_in, view.citations, evidence) + _beside(view.beside, evidence)
    if view.outcome != AnswerOutcome.ANSWERED:
        return shown
    numbers = {it.number for it in (*view.passages, *([view.stands_in] if view.stands_in else []))}
    figures = [_figures(it, evidence) for it in view.citations if it.number not in numbers]
    return NO_HTML.join([*figures, shown])


def _beside(found: Sequence[FoundPassage], evidence: CitedPlaces) -> Html:
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
    drawn = [(it, _passage(it, cited[it.number], evidence)) for it in every]
    return render(
        "run/passages.html",
        "passages",
        open=[html for it, html in drawn if not it.folded],
        folded=[(it.number, next(iter(_marked(it)), it.text), html) for it, html in drawn if it.folded],
    )


def _passage(passage: ShownPassage, citation: Citation, evidence: CitedPlaces) -> Html:
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
