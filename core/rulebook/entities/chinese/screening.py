"""Screening of Chinese candidates that are no names: a logistic model over named features.

The weights in screening.json come from `python -m benchmarks.fit_screening`. Names in Latin letters are left alone:
what tells them from junk in the documents of one kind says nothing about another.
"""

import json
import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from core.graph.model import ExtractedName
from core.rulebook.entities.chinese.segmentation import Dictionary
from core.rulebook.entities.chinese.units import TextUnit, UnitKind
from core.rulebook.entities.logistic import logistic
from core.rulebook.entities.registry import Known

WEIGHTS = Path(__file__).with_name("screening.json")
JUNK = 0.45
"""Probability from which on a candidate is dropped: see benchmarks/README.md."""
_LEAST_TEXTS = 15
"""Shorter documents say too little about how they write their names."""
_MOST_MARGIN = 3.0
_OPENINGS = "rbdpm"
"""First letters of the dictionary's tags of pronouns, distinguishing words, adverbs, prepositions and numbers."""
_POSITION = "f"
_NONE = TextUnit(0, 0, "\n", UnitKind.MARK, "w")


@dataclass(slots=True)
class ChineseOccurrences:
    """Texts that mention a name, the words next to it, and those of which it is made."""

    inner: tuple[TextUnit, ...]
    """The words of the first mention."""
    texts: set[int] = field(default_factory=set)
    before: set[str] = field(default_factory=set)
    after: set[str] = field(default_factory=set)


def junk(
    documents: Sequence[list[TextUnit]],
    found: Sequence[Sequence[ExtractedName]],
    known: Callable[[str], Known],
    dictionary: Dictionary,
) -> list[str]:
    """The names of a document that are likely junk; found: the mentions in each of its texts."""
    if len(documents) < _LEAST_TEXTS:
        return []
    return [name for name, features in candidates(documents, found, known, dictionary) if probability(features) >= JUNK]


def candidates(
    documents: Sequence[list[TextUnit]],
    found: Sequence[Sequence[ExtractedName]],
    known: Callable[[str], Known],
    dictionary: Dictionary,
) -> Iterator[tuple[str, dict[str, float]]]:
    for name, seen in _occurrences(documents, found).items():
        if not name.isascii():
            yield name, _features(name, known(name), seen, dictionary)


def probability(features: Mapping[str, float]) -> float:
    return logistic(_weights(), features)


def _features(name: str, known: Known, seen: ChineseOccurrences, dictionary: Dictionary) -> dict[str, float]:
    first, last = (dictionary.tags.get(unit.text, unit.tag)[:1] for unit in (seen.inner[0], seen.inner[-1]))
    evidence = [*sorted(known.evidence.values(), reverse=True), 0.0, 0.0]
    return {
        "constant": 1.0,
        "texts": math.log(len(seen.texts)),
        "contexts": math.log(1 + min(len(seen.before), len(seen.after))),
        "length": math.log(len(name)),
        "words": math.log(len(seen.inner)),
        "confidence": known.confidence,
        "margin": min(_MOST_MARGIN, (evidence[0] - evidence[1]) / max(1, known.count)),
        "position last": float(last == _POSITION),
        **{f"begins with {tag}": float(first == tag) for tag in _OPENINGS},
    }


@cache
def _weights() -> Mapping[str, float]:
    stored: dict[str, float] = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return stored


def _occurrences(
    documents: Sequence[list[TextUnit]], found: Sequence[Sequence[ExtractedName]]
) -> dict[str, ChineseOccurrences]:
    """Return the occurrences by name; found has the mentions in each of the documents."""
    seen: dict[str, ChineseOccurrences] = {}
    for index, (units, row) in enumerate(zip(documents, found, strict=True)):
        starts = [unit.start for unit in units]
        for mention in row:
            first, after = bisect_right(starts, mention.start) - 1, bisect_left(starts, mention.end)
            if mention.name not in seen:
                seen[mention.name] = ChineseOccurrences(tuple(units[first:after]))
            of_name = seen[mention.name]
            of_name.texts.add(index)
            of_name.before.add((units[first - 1] if first else _NONE).text)
            of_name.after.add((units[after] if after < len(units) else _NONE).text)
    return seen
