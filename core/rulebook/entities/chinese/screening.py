"""Which Chinese candidates are no names: a logistic model over named features.

The weights in screening.json come from `python -m benchmarks.fit_screening`. Names in Latin letters are left alone:
what tells them from junk in the documents of one kind says nothing about another.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from core.graph.model import ExtractedName
from core.rulebook.entities.chinese.occurrences import ChineseOccurrences, sightings
from core.rulebook.entities.chinese.segmentation import Dictionary
from core.rulebook.entities.chinese.units import TextUnit
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


def junk(
    documents: Sequence[list[TextUnit]],
    found: Sequence[Sequence[ExtractedName]],
    known: Callable[[str], Known],
    dictionary: Dictionary,
) -> list[str]:
    """The names of a document that are rather junk; found has the mentions in each of its texts."""
    if len(documents) < _LEAST_TEXTS:
        return []
    return [name for name, features in candidates(documents, found, known, dictionary) if probability(features) >= JUNK]


def candidates(
    documents: Sequence[list[TextUnit]],
    found: Sequence[Sequence[ExtractedName]],
    known: Callable[[str], Known],
    dictionary: Dictionary,
) -> Iterator[tuple[str, dict[str, float]]]:
    for name, seen in sightings(documents, found).items():
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
