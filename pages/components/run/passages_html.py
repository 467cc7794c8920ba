"""Passages as HTML, as they stand, the nearest sentences marked: what comes closest, and where an answer stands."""

from collections.abc import Sequence

from core.documents.model import Block, Box
from core.runs.history.view import RunView
from core.runs.model import AnswerOutcome, RunStatus
from core.search.model import Citation, ShownPassage
from pages.components.documents.page_images import figure_url
from pages.components.documents.quote import passage_html
from pages.components.run.citation_html import MAX_NAME, MAX_PASSAGE, CitedPlaces, chip, whereabouts
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import answer_html, html_of

FIGURES = ("image", "chart")
MAX_FIGURES = 2
SHORTEST_MARK = 2
"""Characters of a line that is marked."""


def passages_part(view: RunView, evidence: CitedPlaces) -> str:
    """Of the answer; of what the rules know, as long as a model has not answered."""
    if found := view.interim:
        chips = {citation.number: citation for citation in found.citations}
        said = answer_html(
            found.text, chips, lambda number: chip(chips[number]), (), [it.text for it in found.citations]
        )
        words = t("run.by_rules" if view.status is RunStatus.RUNNING else "run.by_rules_alone")
        label = f'<p class="gt-legend">{html_of(words)}</p>'
        shown = _shown(found.passages, found.stands_in, found.citations, evidence)
        return f'<section class="gt-interim">{label}<div class="gt-answer">{said}</div>{shown}</section>'
    shown = _shown(view.passages, view.stands_in, view.citations, evidence)
    if view.outcome != AnswerOutcome.ANSWERED:
        return shown
    numbers = {it.number for it in (*view.passages, *([view.stands_in] if view.stands_in else []))}
    return "".join(_figures(it, evidence) for it in view.citations if it.number not in numbers) + shown


def _figures(citation: Citation, evidence: CitedPlaces) -> str:
    """Pictures and charts whose words or captions are quoted."""
    found: dict[tuple[int, Box], None] = {}
    for page, box in citation.boxes if evidence.is_over and citation.document_id in evidence.pictured else ():
        if figure := _figure_of(services().library.passages.blocks(citation.document_id, page), box):
            found[page, figure] = None
    return "".join(_figure(citation, page, box) for page, box in list(found)[:MAX_FIGURES])


def _figure_of(blocks: Sequence[Block], quoted: Box) -> Box | None:
    """The box of the picture that is quoted, or that stands beside the caption that is."""
    at = next((at for at, block in enumerate(blocks) if block.box == quoted), None)
    if at is None or blocks[at].type.removesuffix("_caption") not in FIGURES:
        return None
    near = (blocks[at], *blocks[max(at - 1, 0) : at], *blocks[at + 1 : at + 2])
    return next((block.box for block in near if block.type in FIGURES), None)


def _figure(citation: Citation, page: int, box: Box) -> str:
    """Opens the page."""
    address = html_of(figure_url(citation.document_id, page, box))
    words = html_of(t("chat.source.figure", number=citation.number))
    return (
        f'<figure class="gt-figure"><button type="button" data-opens="{citation.number}">'
        f'<img src="{address}" loading="lazy" alt="{words}"></button></figure>'
    )


def _shown(
    passages: Sequence[ShownPassage],
    stands_in: ShownPassage | None,
    citations: Sequence[Citation],
    evidence: CitedPlaces,
) -> str:
    cited = {citation.number: citation for citation in citations}
    every = [it for it in (*passages, *([stands_in] if stands_in else [])) if it.number in cited]
    drawn = [_passage(it, cited[it.number], evidence) for it in every if not it.folded]
    if folded := [_passage(it, cited[it.number], evidence) for it in every if it.folded]:
        words = html_of(t("answer.passages.more", count=len(folded)))
        more = f'<details class="gt-more" data-key="passages"><summary>{words}</summary>{"".join(folded)}</details>'
        drawn.append(more)
    return f'<div class="gt-found">{"".join(drawn)}</div>' if drawn else ""


def _passage(passage: ShownPassage, citation: Citation, evidence: CitedPlaces) -> str:
    """Its head opens the page with the box."""
    begins = passage.section and passage.text.startswith(passage.section[-1])
    section = " › ".join(passage.section[:-1] if begins else passage.section)
    name, page = html_of(citation.document_name, MAX_NAME), html_of(whereabouts(citation), MAX_NAME)
    head = (
        f'<button type="button" class="gt-place" data-opens="{passage.number}"><b>{passage.number}</b>'
        f"<span>{name}</span><i>{page}</i></button>"
    )
    heading = f"<h4>{html_of(section, 200)}</h4>" if section else ""
    text = passage_html(passage.text, _marked(passage), MAX_PASSAGE, evidence.names.of_chunk(citation.chunk_id))
    return f'<article class="gt-passage is-shown">{head}{_figures(citation, evidence)}{heading}{text}</article>'


def _marked(passage: ShownPassage) -> list[str]:
    """What is marked, line by line."""
    lines = (line.strip() for start, end in passage.marked for line in passage.text[start:end].split("\n"))
    return [line for line in lines if len(line) >= SHORTEST_MARK]
