"""Selects the sentences and table rows that answer a question best, in a readable order."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace

from core.platform.language.scripts import HAN_CHARACTER
from core.platform.language.sentences import sentence_spans
from core.platform.language.terms import content_terms
from core.rulebook.assessing.question_terms import QuestionTerms
from core.rulebook.assessing.quotable_spans import (
    MAX_QUOTE,
    QuotableSpan,
    Shape,
    readable,
    starts_with_bullet,
    without_bullet,
)
from core.rulebook.assessing.sentence_ranking import Quote, RankedSentence
from core.rulebook.model import QuestionKind
from core.rulebook.understanding.questions import asks_of_several, work_asked
from core.rulebook.understanding.topics import names_in
from core.search.model import Passage

MAX_QUOTES = {
    QuestionKind.OVERVIEW: 4,
    QuestionKind.LIST: 6,
    QuestionKind.COMPARISON: 4,
    QuestionKind.HOW: 4,
    QuestionKind.WHY: 3,
    QuestionKind.DEFINITION: 2,
}
"""Three for every other kind."""
BYLINE = 500
"""Characters of a title with its authors."""
PROSE = 15
"""Words of a sentence that is neither title nor author."""
_FIRST_SECTION = re.compile(r"\bAbstract\b|\b1?\.?\s*Introduction\b|摘\s*要|引\s*言|前\s*言", re.IGNORECASE)
LONGEST_LIST = 1_500
"""Characters of a list that is quoted whole."""
SHORT = 25
"""Characters below which an answer is quoted with the sentence that explains it."""
_NUMBER_BEFORE = re.compile(r"(?<![^\n])\d{1,2}[.)] *\Z")
_OF_LISTS = {QuestionKind.LIST, QuestionKind.HOW}
"""Kinds of questions that a whole list answers, not an item."""
_HAN_ENDS = "。！？；："
CLOSEST = 5
"""Passages shown if nothing answers for certain."""
CLOSEST_QUOTES = 10
"""Likely sentences shown of them: the right one is often the second of its passage."""
BULLET = 3
"""Characters between two neighbours of a list."""
FAINT = 0.01
"""Likelihood relative to the best below which a sentence is not shown."""
LIKELY = 0.4
"""Least likelihood of a further quote relative to the best."""
LIKELY_ELSEWHERE = 0.6
"""The same for a quote from another passage, which is more often about something else."""
_LIKELY = {
    QuestionKind.OVERVIEW: 0.5,
    QuestionKind.LIST: 0.15,
    QuestionKind.COMPARISON: 0.2,
    QuestionKind.HOW: 0.3,
    QuestionKind.WHY: 0.3,
}
"""The same for kinds of questions whose answers have several parts."""


def quoted_of(
    question: str,
    kind: QuestionKind,
    candidates: list[RankedSentence],
    units: list[QuotableSpan],
    passages: Sequence[Passage],
) -> list[Quote]:
    """The best one to six candidates, best first; empty if nothing in the passages can be quoted."""
    if kind is QuestionKind.AUTHORS:
        return _byline(passages)
    several = asks_of_several(question)
    if kind.is_about_whole_documents and not several:
        candidates = _of_the_best_document(candidates, passages, work_asked(question))
    if not candidates:
        return []
    chosen = _of_each_document(candidates, passages) if several else _diverse(candidates, kind)
    if kind is QuestionKind.COMPARISON:
        chosen = _with_every_side(question, chosen, candidates)
    if kind in {QuestionKind.OVERVIEW, QuestionKind.LIST, QuestionKind.HOW}:
        chosen = _in_reading_order(chosen, passages)
    return _apart(_completed(candidate, kind, units, passages) for candidate in chosen)


def shown_of(quotes: Sequence[Quote], kind: QuestionKind) -> list[Quote]:
    """Return the quotes; for a single answer without far less likely ones from other passages."""
    if kind in {*_LIKELY, QuestionKind.RELATION} or not quotes:
        return list(quotes)
    best = max(quotes, key=lambda quote: quote.score)
    floor = LIKELY_ELSEWHERE * best.score
    return [quote for quote in quotes if quote.passage == best.passage or quote.score >= floor]


def with_what_is_missing(
    quotes: list[Quote], units: Sequence[QuotableSpan], needs: QuestionTerms, telling: Collection[QuotableSpan]
) -> list[Quote]:
    """Return the quotes, each with the sentence next to it that has words of the question which no quote has.

    "It can be called by the officer alone. It can be ended only by the director" answers who may end it.
    Where no quote has the number, date or name that is asked for, the sentence next to one that has it does as well.

    telling: the units that have it.
    """
    told = frozenset[str]().union(*(quote.terms for quote in quotes))
    for at, quote in enumerate(quotes):
        for beside in _beside(quote, [unit for unit in units if unit.passage == quote.passage]):
            is_asked = beside in telling and not any(one.tells for one in quotes)
            if is_asked or any(word.credit(beside.terms) > word.credit(told) for word, _ in needs.weights):
                quotes[at] = quote = _joined(quote, beside, tells=quote.tells or beside in telling)
                told |= beside.terms
    return quotes


def _beside(quote: Quote, own: Sequence[QuotableSpan]) -> list[QuotableSpan]:
    """The sentences right after and right before the quote in its section."""
    if quote.is_row:
        return []
    behind = next((unit for unit in own if unit.start >= quote.end), None)
    before = next((unit for unit in reversed(own) if unit.end <= quote.start), None)
    return [unit for unit in (behind, before) if unit and unit.shape is Shape.SENTENCE and unit.under == quote.under]


def _joined(quote: Quote, beside: QuotableSpan, *, tells: bool) -> Quote:
    first, second = (quote, beside) if quote.start < beside.start else (beside, quote)
    told = f"{first.text}{'' if _ends_in_han(first.text) else ' '}{second.text}"
    terms = quote.terms | beside.terms
    return replace(quote, start=first.start, end=second.end, text=told, terms=terms, tells=tells)


def closest_of(candidates: Sequence[RankedSentence], passages: Sequence[Passage], asked: frozenset[str]) -> list[Quote]:
    """The likeliest sentences of the likeliest passages, likeliest first, neighbours joined.

    asked: the terms of the question.
    """
    quotes = _distinct([candidate.quote for candidate in candidates if candidate.quote.score >= FAINT])
    quotes.sort(key=_names_columns_alone(candidates, asked))
    places = list(dict.fromkeys(quote.passage for quote in quotes))[:CLOSEST]
    likeliest = [quote for quote in quotes if quote.passage in places][:CLOSEST_QUOTES]
    units = [candidate.unit for candidate in candidates]
    found: list[Quote] = []
    for quote in sorted(likeliest, key=lambda quote: (places.index(quote.passage), quote.start)):
        if found and _are_near(found[-1], quote, units, passages):
            found[-1] = _as_one(found[-1], quote, passages)
        else:
            found.append(quote)
    return sorted(found, key=lambda quote: next(rank for rank, one in enumerate(likeliest) if _holds(quote, one)))


def _names_columns_alone(candidates: Sequence[RankedSentence], asked: frozenset[str]) -> Callable[[Quote], bool]:
    """Return a test for rows whose only terms of the question are in every row of their passage."""
    shared: dict[int, frozenset[str]] = {}
    for quote in (candidate.quote for candidate in candidates if candidate.quote.is_row):
        shared[quote.passage] = shared.get(quote.passage, quote.terms) & quote.terms
    return lambda quote: quote.is_row and quote.terms & asked <= shared[quote.passage] != quote.terms


def raised(candidates: Sequence[RankedSentence], own: Sequence[bool]) -> list[RankedSentence]:
    """The candidates, best first; the best in the reader's language counts as much as the best of all."""
    best = max((one.quote.score for one, is_own in zip(candidates, own, strict=True) if is_own), default=0.0)
    if not best:
        return list(candidates)
    factor = candidates[0].quote.score / best
    told = [
        replace(it, quote=replace(it.quote, score=it.quote.score * factor))
        for it, mine in zip(candidates, own, strict=True)
        if mine
    ]
    others = [one for one, is_own in zip(candidates, own, strict=True) if not is_own]
    return sorted([*told, *others], key=lambda one: -one.quote.score)


def _distinct(quotes: Sequence[Quote]) -> list[Quote]:
    """Return the quotes without verbatim repetitions of likelier ones, as of a table that occurs twice."""
    first: dict[frozenset[str], Quote] = {}
    for quote in quotes:
        first.setdefault(quote.terms or frozenset({quote.text}), quote)
    return list(first.values())


def _are_near(one: Quote, other: Quote, units: Sequence[QuotableSpan], passages: Sequence[Passage]) -> bool:
    """Whether two sentences are short enough to be joined, with at most one sentence and no heading between them."""
    if one.passage != other.passage or one.is_row or other.is_row or other.end - one.start > MAX_QUOTE:
        return False
    between = [unit for unit in units if unit.passage == one.passage and one.end <= unit.start < other.start]
    unread = len("".join(passages[one.passage].chunk.text[one.end : other.start].split()))
    told = sum(len("".join(unit.text.split())) for unit in between if unit.shape is not Shape.ROW)
    return len(between) <= 1 and unread - told <= BULLET


def _as_one(one: Quote, other: Quote, passages: Sequence[Passage]) -> Quote:
    """Join two quotes verbatim with what is between them."""
    text = passages[one.passage].chunk.text[one.start : other.end]
    likelier = one if one.score >= other.score else other
    return replace(
        one,
        end=other.end,
        text=without_bullet(readable(text)),
        score=likelier.score,
        terms=one.terms | other.terms,
        likeliest=likelier.likeliest or likelier.text,
    )


def _byline(passages: Sequence[Passage]) -> list[Quote]:
    """Title and authors at a document's beginning, up to its first section; none where it begins with prose."""
    for position, passage in enumerate(passages):
        if passage.chunk.index == 0:
            text = passage.chunk.text
            first_section = _FIRST_SECTION.search(text)
            end = first_section.start() if first_section else len(text)
            line = readable(text[: min(end, BYLINE)])
            is_prose = (not first_section and len(text) > 2 * BYLINE) or _has_prose(line)
            return [Quote(position, 0, min(end, BYLINE), line, 1.0)] if line and not is_prose else []
    return []


def _has_prose(line: str) -> bool:
    """Whether a line has a long sentence of words rather than names."""
    sentences = [line[slice(*span)].split() for span in sentence_spans(line)]
    return any(len(words) > PROSE and sum(map(str.islower, words)) > 0.7 * len(words) for words in sentences)


def _diverse(candidates: list[RankedSentence], kind: QuestionKind) -> list[RankedSentence]:
    """The best candidate and further likely ones that say something else."""
    chosen = candidates[:1]
    floor = candidates[0].quote.score * _LIKELY.get(kind, LIKELY)
    for candidate in candidates[1:]:
        if len(chosen) >= MAX_QUOTES.get(kind, 3) or candidate.quote.score < floor:
            break
        if not any(_alike(candidate.unit, other.unit) for other in chosen):
            chosen.append(candidate)
    return chosen


def _with_every_side(
    question: str, chosen: list[RankedSentence], candidates: list[RankedSentence]
) -> list[RankedSentence]:
    """Add the best candidate for each compared thing that the chosen ones leave out."""
    for name in names_in(question)[: MAX_QUOTES[QuestionKind.COMPARISON]]:
        holding = [candidate for candidate in candidates if name.casefold() in candidate.unit.text.casefold()]
        telling_it = [candidate for candidate in holding if candidate.quote.tells] or holding
        if not any(candidate in chosen for candidate in telling_it):
            chosen += telling_it[:1]
    return chosen


def _alike(one: QuotableSpan, other: QuotableSpan) -> bool:
    if one.passage == other.passage and one.start < other.end and other.start < one.end:
        return True
    shared = len(one.terms & other.terms)
    return shared > 0.7 * max(1, min(len(one.terms), len(other.terms))) and one.shape is Shape.SENTENCE


def _in_reading_order(chosen: list[RankedSentence], passages: Sequence[Passage]) -> list[RankedSentence]:
    """Order by the best quote of each document, then by reading order."""
    documents = list(dict.fromkeys(passages[c.quote.passage].chunk.document_id for c in chosen))

    def place(candidate: RankedSentence) -> tuple[int, int, int]:
        chunk = passages[candidate.quote.passage].chunk
        return documents.index(chunk.document_id), chunk.index, candidate.quote.start

    return sorted(chosen, key=place)


def _completed(
    candidate: RankedSentence, kind: QuestionKind, units: Sequence[QuotableSpan], passages: Sequence[Passage]
) -> Quote:
    """Return the quote with the context that it needs: the sentence before, its list, or the reason of a "Yes."."""
    quote, unit = candidate.quote, candidate.unit
    own = [one for one in units if one.passage == quote.passage]
    text = passages[quote.passage].chunk.text
    first = last = own.index(unit)
    if kind in _OF_LISTS or _answers_entry(unit) or unit.text.endswith((":", "：")):
        first, last = _list_around(own, first, text)
    is_list = first < last
    if not is_list:
        first, last = _with_what_explains(own, first, has_before=bool(candidate.before))
        first, last = _whole_sentence(own, first, last, text)
    parts = own[first : last + 1]
    told = "".join(part.text if _ends_in_han(part.text) else f"{part.text} " for part in parts).strip()
    start = parts[0].start
    if is_list:
        number = _NUMBER_BEFORE.search(text, 0, start)
        start = number.start() if number else start
        told = " ".join(text[start : parts[-1].end].split())
    terms = frozenset[str]().union(*(part.terms for part in parts))
    return replace(quote, start=start, end=parts[-1].end, text=told, terms=terms)


def _answers_entry(unit: QuotableSpan) -> bool:
    return unit.under.endswith(("?", "？"))


def _with_what_explains(own: Sequence[QuotableSpan], at: int, *, has_before: bool) -> tuple[int, int]:
    """Return the units from the sentence before, or to the one behind a "Yes." that answers an entry."""
    unit = own[at]
    if has_before:
        return at - 1, at
    is_short = len(unit.text) < SHORT and _answers_entry(unit) and not unit.after
    goes_on = is_short and at + 1 < len(own) and own[at + 1].under == unit.under
    return at, at + goes_on


def _whole_sentence(own: Sequence[QuotableSpan], first: int, last: int, text: str) -> tuple[int, int]:
    """Return the units with those that semicolons join to them, which may give the rule for the opposite case."""

    def goes_on(at: int) -> bool:
        between, behind = text[own[at].end : own[at + 1].start], text[own[at + 1].start : own[at + 1].end]
        return own[at].text.endswith("；") and "\n\n" not in between and not starts_with_bullet(behind)

    while first and goes_on(first - 1) and own[last].end - own[first - 1].start <= MAX_QUOTE:
        first -= 1
    while last + 1 < len(own) and goes_on(last) and own[last + 1].end - own[first].start <= MAX_QUOTE:
        last += 1
    return first, last


def _list_around(own: Sequence[QuotableSpan], at: int, text: str) -> tuple[int, int]:
    """The first and last unit of the list that the unit introduces or is of, with what introduces it."""

    def is_item(place: int) -> bool:
        begin = text.rfind("\n", 0, own[place].start) + 1
        same = own[place].under == own[at].under and own[place].shape is not Shape.ROW
        return same and starts_with_bullet(text[begin : own[place].end])

    first = at if is_item(at) else at + 1
    last = first
    while 0 < first <= at and is_item(first - 1):
        first -= 1
    while last + 1 < len(own) and is_item(last + 1) and own[last + 1].end - own[first].start <= LONGEST_LIST:
        last += 1
    if last >= len(own) or not is_item(last) or own[last].end - own[first].start > LONGEST_LIST:
        return at, at
    introduced = first > 0 and not is_item(first - 1) and own[first - 1].text.endswith((":", "："))
    return first - introduced, last


def _ends_in_han(text: str) -> bool:
    return text.endswith(tuple(_HAN_ENDS)) or HAN_CHARACTER.match(text[-1:]) is not None


def _apart(quotes: Iterable[Quote]) -> list[Quote]:
    """Drops quotes contained in another one."""
    kept: list[Quote] = []
    for quote in quotes:
        at = next((at for at, other in enumerate(kept) if _holds(other, quote) or _holds(quote, other)), None)
        if at is None:
            kept.append(quote)
        elif _holds(quote, kept[at]):
            kept[at] = quote
    return kept


def _holds(outer: Quote, inner: Quote) -> bool:
    return outer.passage == inner.passage and outer.start <= inner.start and inner.end <= outer.end


def _of_each_document(candidates: list[RankedSentence], passages: Sequence[Passage]) -> list[RankedSentence]:
    """The best of every document; a further one of each while few documents are quoted."""
    by_document: dict[str, list[RankedSentence]] = {}
    for candidate in candidates:
        by_document.setdefault(passages[candidate.quote.passage].chunk.document_id, []).append(candidate)
    most = max(1, MAX_QUOTES[QuestionKind.OVERVIEW] // len(by_document))
    return [candidate for own in by_document.values() for candidate in _diverse(own, QuestionKind.OVERVIEW)[:most]]


def _of_the_best_document(
    candidates: list[RankedSentence], passages: Sequence[Passage], work: frozenset[str]
) -> list[RankedSentence]:
    """The candidates of one document to summarise: the best one of those with most words for the work."""
    documents = [passages[candidate.quote.passage].chunk.document_id for candidate in candidates]
    known: dict[str, frozenset[str]] = dict.fromkeys(documents, frozenset())
    for passage in passages if work else ():
        own = content_terms(f"{passage.document_name} {passage.chunk.text}")
        known[passage.chunk.document_id] = known.get(passage.chunk.document_id, frozenset()) | work.intersection(own)
    best = max(documents, key=lambda document: len(known[document]), default="")
    return [candidate for candidate, document in zip(candidates, documents, strict=True) if document == best]
