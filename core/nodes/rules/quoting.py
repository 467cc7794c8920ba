"""The sentences and table rows of passages that answer a question best, in an order that reads well."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.domain.passages import Passage
from core.language.terms import content_terms, normal_form
from core.nodes.rules.cues import aim_cue, answers_kind, defines, is_opening_section
from core.nodes.rules.followups import names_in
from core.nodes.rules.needs import Needs, needs_of
from core.nodes.rules.questions import Kind, asks_for_authors, essence, kind_of
from core.nodes.rules.units import Shape, Unit, readable, units_of

MAX_QUOTES = {
    Kind.OVERVIEW: 4,
    Kind.LIST: 6,
    Kind.COMPARISON: 4,
    Kind.HOW: 4,
    Kind.WHY: 3,
    Kind.DEFINITION: 2,
}
"""Three for every other kind."""
_LEANING = re.compile(
    r"^(?:it|its|this|that|these|those|they|their|he|she|his|her|such|however|therefore|thus|moreover|also|hence"
    r"|here)\b"
    r"|^(?:其(?!他|中|余)|它|该|此|这|他|她|因此|所以|但|然而|同时|另外|此外)",
    re.IGNORECASE,
)
BYLINE = 500
"""Characters of a title with its authors."""
_FIRST_SECTION = re.compile(r"\bAbstract\b|\b1?\.?\s*Introduction\b|摘\s*要|引\s*言|前\s*言", re.IGNORECASE)
LISTED = 3
"""Items that a quoted "the following:" takes along."""
_HAN_END = re.compile(r"[\u3400-\u9fff。！？；：]$")
_PLURAL = re.compile(
    r"\b(?:documents|papers|files|articles|reports|all|everything|each)\b|所有|全部|各个?(?:文档|文件|论文)|这些"
)
_ENOUGH = {Kind.OVERVIEW: 0.5, Kind.LIST: 0.55, Kind.COMPARISON: 0.5, Kind.HOW: 0.65, Kind.WHY: 0.65}
"""The share of the best score that a further quote must reach; 0.75 for every other kind."""


@dataclass(frozen=True, slots=True)
class Quote:
    passage: int
    """Position of the passage in the list."""
    start: int
    end: int
    """Offsets in the chunk's text."""
    text: str
    score: float
    coverage: float
    """0..1 of what the question needs, with the heading and the sentence before."""
    answers: bool
    """It has the form that the kind of question asks for."""
    shape: Shape = Shape.SENTENCE


@dataclass(frozen=True, slots=True)
class _Candidate:
    unit: Unit
    before: Unit | None
    """The sentence before in the same passage."""
    quote: Quote


def choose_quotes(question: str, passages: Sequence[Passage]) -> list[Quote]:
    """The best one to six quotes; an empty list when the passages hold nothing that can be quoted."""
    if asks_for_authors(question) and (byline := _byline(passages)):
        return [byline]
    kind = kind_of(question)
    units = units_of(passages)
    needs = needs_of(question, [content_terms(passage.chunk.text) for passage in passages])
    candidates = _weighed(question, kind, units, passages, needs)
    if kind is Kind.OVERVIEW and not _PLURAL.search(normal_form(question)):
        candidates = _of_the_best_document(candidates, passages)
    if not candidates:
        return []
    chosen = _diverse(candidates, kind, needs)
    if kind is Kind.COMPARISON:
        chosen = _with_every_side(question, chosen, candidates)
    if kind in {Kind.OVERVIEW, Kind.LIST, Kind.HOW}:
        chosen = _in_reading_order(chosen, passages)
    return [_completed(candidate, units) for candidate in chosen]


def _byline(passages: Sequence[Passage]) -> Quote | None:
    """Title and names at a document's beginning, up to its first section."""
    for position, passage in enumerate(passages):
        if passage.chunk.index == 0:
            text = passage.chunk.text
            first_section = _FIRST_SECTION.search(text)
            end = min(first_section.start() if first_section else BYLINE, BYLINE)
            line = readable(text[:end])
            return Quote(position, 0, end, line, 1.0, 1.0, answers=True) if line else None
    return None


def _weighed(
    question: str, kind: Kind, units: list[Unit], passages: Sequence[Passage], needs: Needs
) -> list[_Candidate]:
    headings = [frozenset(content_terms(" ".join((p.document_name, *p.chunk.section)))) for p in passages]
    subject = subject_of(question) if kind is Kind.DEFINITION else ""
    found = []
    for position, unit in enumerate(units):
        before = units[position - 1] if position and units[position - 1].passage == unit.passage else None
        caption = _caption(units, position) if unit.shape is Shape.ROW else before
        context = headings[unit.passage] | (caption.terms if caption else frozenset())
        quote = _quote(unit, context, needs, question, passages[unit.passage])
        bonus = 0.6 * defines(normal_form(unit.text), subject) if subject else 0.0
        found.append(_Candidate(unit, before, _raised(quote, bonus)))
    return sorted(found, key=lambda c: (-c.quote.score, c.quote.passage, c.quote.start))


def _quote(unit: Unit, context: frozenset[str], needs: Needs, question: str, passage: Passage) -> Quote:
    kind = kind_of(question)
    coverage = needs.coverage(unit.terms, context)
    answers = answers_kind(unit.text, kind, question)
    score = 0.6 * needs.coverage(unit.terms) + 0.4 * coverage + 0.1 * passage.score
    if kind is Kind.OVERVIEW:
        score = 0.4 * (0.0 if needs.nothing else score) + aim_cue(unit.text) + _place(unit, passage)
    elif answers and kind is not Kind.FACT:
        score += 0.25 * coverage
    return Quote(unit.passage, unit.start, unit.end, unit.text, score - _flaws(unit), coverage, answers, unit.shape)


def _place(unit: Unit, passage: Passage) -> float:
    """Documents say what they are about at their beginning and in certain sections."""
    early = max(0.0, 0.3 - 0.1 * passage.chunk.index)
    return (
        early + (0.25 if is_opening_section(passage.chunk.section) else 0.0) - (0.2 if unit.shape is Shape.ROW else 0)
    )


def _flaws(unit: Unit) -> float:
    flaws = 0.3 if unit.text.rstrip().endswith(("?", "？")) else 0.0
    flaws += 0.1 if len(unit.text) > 400 else 0.0
    return flaws + (0.05 if _LEANING.search(unit.text) else 0.0)


def _raised(quote: Quote, bonus: float) -> Quote:
    return replace(quote, score=quote.score + bonus, answers=True) if bonus else quote


def _diverse(candidates: list[_Candidate], kind: Kind, needs: Needs) -> list[_Candidate]:
    """The best candidate and those near it that say something else."""
    best = candidates[0]
    chosen = [best]
    floor = best.quote.score * _ENOUGH.get(kind, 0.75)
    covered = set(best.unit.terms)
    for candidate in candidates[1:]:
        if len(chosen) >= MAX_QUOTES.get(kind, 3) or candidate.quote.score < floor:
            break
        if any(_alike(candidate.unit, other.unit) for other in chosen):
            continue
        adds = needs.coverage(covered | candidate.unit.terms) > needs.coverage(covered)
        if adds or kind in _ENOUGH or candidate.quote.answers:
            chosen.append(candidate)
            covered |= candidate.unit.terms
    return chosen


def _with_every_side(question: str, chosen: list[_Candidate], candidates: list[_Candidate]) -> list[_Candidate]:
    """A comparison needs a word on each thing it names."""
    for name in names_in(question)[: MAX_QUOTES[Kind.COMPARISON]]:
        if not any(name in candidate.unit.text for candidate in chosen):
            chosen += [candidate for candidate in candidates if name in candidate.unit.text][:1]
    return chosen


def _alike(one: Unit, other: Unit) -> bool:
    if one.passage == other.passage and one.start < other.end and other.start < one.end:
        return True
    shared = len(one.terms & other.terms)
    return shared > 0.7 * max(1, min(len(one.terms), len(other.terms))) and one.shape is Shape.SENTENCE


def _in_reading_order(chosen: list[_Candidate], passages: Sequence[Passage]) -> list[_Candidate]:
    """Documents by their best quote, then as they are read."""
    documents = list(dict.fromkeys(passages[c.quote.passage].chunk.document_id for c in chosen))

    def place(candidate: _Candidate) -> tuple[int, int, int]:
        chunk = passages[candidate.quote.passage].chunk
        return documents.index(chunk.document_id), chunk.index, candidate.quote.start

    return sorted(chosen, key=place)


def _completed(candidate: _Candidate, units: list[Unit]) -> Quote:
    """A quote that opens with "It" or "其" takes the sentence before with it, one that ends with a colon its list."""
    quote, before = candidate.quote, candidate.before
    parts = [candidate.unit]
    if before and before.shape is Shape.SENTENCE and _LEANING.search(quote.text):
        parts.insert(0, before)
    if quote.text.endswith((":", "：")):
        at = units.index(candidate.unit) + 1
        parts += [unit for unit in units[at : at + LISTED] if unit.passage == quote.passage]
    text = "".join(part.text if _HAN_END.search(part.text) else f"{part.text} " for part in parts).strip()
    return replace(quote, start=parts[0].start, end=parts[-1].end, text=text)


def _of_the_best_document(candidates: list[_Candidate], passages: Sequence[Passage]) -> list[_Candidate]:
    """A summary of one document quotes that one."""
    documents = [passages[candidate.quote.passage].chunk.document_id for candidate in candidates]
    return [candidate for candidate, document in zip(candidates, documents, strict=True) if document == documents[0]]


def _caption(units: list[Unit], position: int) -> Unit | None:
    """The sentence above a table."""
    passage = units[position].passage
    above = (unit for unit in reversed(units[:position]) if unit.passage == passage and unit.shape is Shape.SENTENCE)
    return next(above, None)


_ASKED = re.compile(
    r"^(?:so\s+)?(?:what|who)(?:'s|\s+is|\s+are|\s+was|\s+does|\s+do)\s+(?:an?\s+|the\s+)?|\b(?:mean|stand for)\b.*$"
    r"|^(?:define|the definition of|definition of|the meaning of)\s+|[?？]+$|^什么是|的?(?:定义|含义|意思)?(?:是"
    r"|指)?什么(?:意思)?[？?]?$|^何[为谓]",
    re.IGNORECASE,
)


def subject_of(question: str) -> str:
    """What is to be defined."""
    plain = normal_form(question).strip(" ?？。.")
    previous = ""
    while plain != previous:
        previous, plain = plain, _ASKED.sub("", plain).strip(" ?？。.“”\"'")
    return plain if len(plain) <= 60 else essence(question)[:60]
