"""How much sentences say about their document, by the terms that they share with it and by their place."""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from core.rulebook.assessing.quotable_spans import QuotableSpan, Shape
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
