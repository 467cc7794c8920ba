"""Candidates for quotes, and the ranking of sentences for questions about whole documents.

A sentence says much about its document by the terms that they share and by its place.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from core.platform.language.patterns import pattern
from core.platform.language.stopwords import ENGLISH
from core.platform.language.terms import normal_form
from core.rulebook.assessing.cues import aim_cue, is_opening_section
from core.rulebook.assessing.question_terms import QuestionTerms
from core.rulebook.assessing.quotable_spans import QuotableSpan, Shape
from core.rulebook.model import QuestionKind
from core.rulebook.understanding.questions import essence
from core.search.model import Passage

SHARED, FIRST = 0.3, 0.2
"""Highest contribution of shared terms and of place."""
FADING = 0.9
"""Factor by which FIRST fades with each sentence of a section."""
FEWEST = 4
"""Terms of a sentence that counts."""
_STOPS = tuple(".!?。！？")
_CLOSING = "”’\"')）】」』 "


def telling(units: Sequence[QuotableSpan], passages: Sequence[Passage]) -> list[float]:
    """Return the salience of each unit; 0 for rows, labels and broken sentences, of which covers and forms consist."""
    found = [0.0] * len(units)
    of_documents: dict[str, list[int]] = defaultdict(list)
    for place, unit in enumerate(units):
        if unit.shape is Shape.SENTENCE and len(unit.terms) >= FEWEST and _is_whole(unit.text):
            of_documents[passages[unit.passage].chunk.document_id].append(place)
    for places in of_documents.values():
        own = [units[place] for place in places]
        before: Counter[tuple[str, ...]] = Counter()
        for place, unit, share in zip(places, own, _shared(own), strict=True):
            section = passages[unit.passage].chunk.section
            found[place] = SHARED * share + FIRST * FADING ** before[section]
            before[section] += 1
    return found


def _is_whole(text: str) -> bool:
    return text.rstrip(_CLOSING).endswith(_STOPS)


def _shared(units: Sequence[QuotableSpan]) -> list[float]:
    """Return the share of the document's terms in each unit, relative to the highest; common terms weigh most."""
    counts: dict[int, Counter[str]] = defaultdict(Counter)
    for unit in units:
        counts[unit.passage].update(unit.terms)
    weights: dict[str, float] = defaultdict(float)
    for counted in counts.values():
        for term, count in counted.items():
            weights[term] += math.sqrt(count)
    sums = [math.fsum(weights[term] - 1 for term in unit.terms) / math.sqrt(len(unit.terms)) for unit in units]
    most = max(sums)
    return [one / most if most else 0.0 for one in sums]


LEANING = re.compile(
    r"^(?:it|its|they|their|he|she|his|her|such|however|therefore|thus|moreover|also|hence)\b"
    r"|^(?:this|that|these|those)\b(?! (?:paper|note|report|article|work|document|handbook|manual|standard|section))"
    r"|^(?:其(?!他|中|余)|它|该|此|这|他|她|因此|所以|但|然而|同时|另外|此外)",
    re.IGNORECASE,
)
"""Openings of sentences that need the one before to be understood."""


@dataclass(frozen=True, slots=True)
class Quote:
    passage: int
    """Position of the passage in the list."""
    start: int
    end: int
    """Offsets in the chunk's text."""
    text: str
    score: float
    tells: bool = False
    """Whether the text has the form of an answer of this kind, such as a date."""
    terms: frozenset[str] = frozenset()
    is_row: bool = False
    """Whether it is a row of a table."""
    under: str = ""
    """The heading or the question right above it."""
    likeliest: str = ""
    """The likeliest sentence of a quote of several; empty for a quote of one."""


@dataclass(frozen=True, slots=True)
class RankedSentence:
    unit: QuotableSpan
    before: QuotableSpan | None
    """The sentence before, if the unit needs it to be understood."""
    quote: Quote


def ranked_spans(
    kind: QuestionKind,
    units: Sequence[QuotableSpan],
    passages: Sequence[Passage],
    headings: Sequence[frozenset[str]],
    needs: QuestionTerms,
) -> list[RankedSentence]:
    """Every sentence and row for a question about whole documents, the best first.

    headings: the terms above each passage.
    """
    found = []
    tells = telling(units, passages) if kind is QuestionKind.OVERVIEW else [0.0] * len(units)
    for position, unit in enumerate(units):
        if unit.shape is not Shape.LINE:
            said = needs.spoken(needs.terms & unit.terms, needs.terms & headings[unit.passage]).whole
            score = _score(kind, unit, passages[unit.passage], 0.0 if needs.nothing else said) + tells[position]
            quote = quote_of(unit, score)
            found.append(RankedSentence(unit, leans_on(units, position), quote))
    return sorted(found, key=in_order_of_score)


def quote_of(unit: QuotableSpan, score: float, *, tells: bool = False) -> Quote:
    return Quote(
        passage=unit.passage,
        start=unit.start,
        end=unit.end,
        text=unit.text,
        score=score,
        tells=tells,
        terms=unit.terms,
        is_row=unit.shape is Shape.ROW,
        under=unit.under,
    )


def in_order_of_score(candidate: RankedSentence) -> tuple[float, int, int]:
    return -candidate.quote.score, candidate.quote.passage, candidate.quote.start


def leans_on(units: Sequence[QuotableSpan], position: int) -> QuotableSpan | None:
    """The sentence before in the same passage, if the unit needs it to be understood."""
    unit, before = units[position], units[position - 1] if position else None
    if before is None or before.passage != unit.passage or before.shape is not Shape.SENTENCE:
        return None
    return before if LEANING.search(unit.text) else None


def _score(kind: QuestionKind, unit: QuotableSpan, passage: Passage, said: float) -> float:
    if kind is QuestionKind.OVERVIEW:
        return 0.4 * said + aim_cue(unit.text) + _place(unit, passage) - _flaws(unit)
    return said + 0.1 * passage.score - _flaws(unit)


def _place(unit: QuotableSpan, passage: Passage) -> float:
    """Score by place: documents say what they are about at their beginning and in certain sections."""
    early = max(0.0, 0.3 - 0.1 * passage.chunk.index)
    return (
        early + (0.25 if is_opening_section(passage.chunk.section) else 0.0) - (0.2 if unit.shape is Shape.ROW else 0)
    )


def _flaws(unit: QuotableSpan) -> float:
    flaws = 0.3 if unit.text.rstrip().endswith(("?", "？")) else 0.0
    flaws += 0.1 if len(unit.text) > 400 else 0.0
    return flaws + (0.05 if LEANING.search(unit.text) else 0.0)


_ASKED = pattern(
    r"^(?:so\s+)?(?:what|who)(?:'s|\s+is|\s+are|\s+was|\s+does|\s+do)\s+(?:an?\s+|the\s+)?|\b(?:mean|stand for)\b.*$"
    r"|^(?:define|the definition of|definition of|the meaning of)\s+|[?？]+$|^什么是|的?(?:定义|含义|意思)?(?:是"
    r"|指)?什么(?:意思)?[？?]?$|^何[为谓]",
    re.IGNORECASE,
)


_JOINED = frozenset("的,，;；")


def subject_of(question: str) -> str:
    """Return what is to be defined."""
    plain = normal_form(question).strip(" ?？。.")
    previous = ""
    while plain != previous:
        previous, plain = plain, _ASKED.sub("", plain).strip(" ?？。.“”\"'")
    return plain if len(plain) <= 60 else essence(question)[:60]


def thing_asked(question: str) -> str:
    """The subject, if it is one thing and no property of it is asked for: "EskFlow", not "horizon of EskFlow"."""
    subject = subject_of(question)
    is_one = not any(word.casefold() in ENGLISH for word in subject.split()) and _JOINED.isdisjoint(subject)
    return subject if is_one else ""
