"""Screening of candidates that are no names: a logistic model over named features, one of them from the encoder.

The weights in screening.json and screening.npy come from benchmarks/fit_screening.py.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.rulebook.entities.english.occurrences import NameOccurrences, sightings
from core.rulebook.entities.lexicon import WordClass, is_plain, listed_type, word_class, words
from core.rulebook.entities.logistic import logistic
from core.rulebook.entities.meanings import Meanings
from core.rulebook.entities.registry import Key, Known, Registry
from core.rulebook.entities.statistics import Statistics
from core.rulebook.entities.tokens import Token

WEIGHTS = Path(__file__).with_name("screening.json")
VECTOR = Path(__file__).with_name("screening.npy")
"""Weights for junk of each dimension of a name's vector, then of its context's; the last is the constant."""
WORDS, ENCODER = "words alone", "with encoder"
MEANING = "meaning"
LEAST_DOUBT = 0.15
"""Probability by words alone from which on the encoder is asked."""
_JUNK = {WORDS: 0.5, ENCODER: 0.45}
"""Probability from which on a candidate is dropped: see benchmarks/README.md."""
_LEAST_TEXTS = 10
"""Shorter documents say too little about how they write their names."""
_CONTEXT = 60
"""Characters on each side of the first mention."""
_MOST_MARGIN = 3.0
_MOST_PER_TEXT = 1
"""Candidates for each text of the document of which the encoder is asked, the most mentioned ones."""


@dataclass(frozen=True, slots=True)
class NameCandidate:
    """A name of the document that may be none."""

    key: Key
    mentions: int
    name: str
    context: str
    features: dict[str, float]


def screen(
    texts: Sequence[str],
    documents: Sequence[list[Token]],
    registry: Registry,
    statistics: Statistics,
    meanings: Meanings | None,
) -> None:
    """Drops names that are likely junk from the registry."""
    if len(texts) < _LEAST_TEXTS:
        return
    found = candidates(texts, documents, registry, statistics)
    junk = {each.key: probability(each.features, WORDS) >= _JUNK[WORDS] for each in found}
    if meanings is not None:
        junk |= _by_meaning(found, meanings, _MOST_PER_TEXT * len(texts))
    registry.drop([key for key, dropped in junk.items() if dropped])


def _by_meaning(found: Sequence[NameCandidate], meanings: Meanings, most: int) -> dict[Key, bool]:
    """Whether names that the words leave in doubt are junk; empty if there is no encoder to ask."""
    doubtful = [each for each in found if probability(each.features, WORDS) >= LEAST_DOUBT]
    asked = sorted(doubtful, key=lambda each: -each.mentions)[:most]
    vectors = meanings.vectors([text for each in asked for text in (each.name, each.context)])
    if vectors is None:
        return {}
    return {
        each.key: probability({**each.features, MEANING: score}, ENCODER) >= _JUNK[ENCODER]
        for each, score in zip(asked, meaning(vectors).tolist(), strict=True)
    }


def candidates(
    texts: Sequence[str], documents: Sequence[list[Token]], registry: Registry, statistics: Statistics
) -> list[NameCandidate]:
    places = [[(span, key) for span, key, _ in registry.occurrences(tokens)] for tokens in documents]
    found = []
    for key, seen in sightings(documents, places).items():
        index, start, end = seen.first
        context = " ".join(texts[index][max(0, start - _CONTEXT) : end + _CONTEXT].split())
        features = _features(key, registry.known(key), seen, statistics)
        found.append(NameCandidate(key, seen.mentions, " ".join(key[1]), context, features))
    return found


def probability(features: Mapping[str, float], engine: str) -> float:
    """Return the probability that a candidate is junk."""
    return logistic(_weights()[engine], features)


def meaning(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return about 1 for junk, 0 for a name, from the vectors of a name and of its context in turn."""
    weights = _vector()
    scores: NDArray[np.float32] = vectors.reshape(-1, len(weights) - 1) @ weights[:-1] + weights[-1]
    return scores


def _features(key: Key, known: Known, seen: NameOccurrences, statistics: Statistics) -> dict[str, float]:
    parts = key[1]
    lowered = [part.lower() for part in parts]
    share = 1 / seen.mentions
    plain = [is_plain(word) for word in lowered]
    evidence = [*sorted(known.evidence.values(), reverse=True), 0.0, 0.0]
    return {
        "constant": 1.0,
        "texts": math.log(len(seen.texts)),
        "contexts": math.log(1 + min(len(seen.before), len(seen.after))),
        "starting": seen.starting * share,
        "alone": float(seen.alone == seen.mentions),
        "determined": seen.determined * share,
        "cut": seen.cut * share,
        "split": seen.split * share,
        "formal": seen.formal * share,
        "all plain": float(all(plain)),
        "coded plain": statistics.coded * float(any(plain)),
        "in identifiers": sum(word in statistics.code_parts for word in lowered) / len(parts),
        "mixed": sum(map(_is_mixed, parts)) / len(parts),
        "repeats": float(len(set(lowered)) < len(lowered)),
        "number at the end": float(len(parts) > 1 and parts[-1][:1].isdigit()),
        "verb first": float(word_class(lowered[0]) is WordClass.VERB),
        "function first": float(word_class(lowered[0]) is WordClass.FUNCTION),
        "listed": float(bool(listed_type(" ".join(parts)))),
        "given name": float(parts[0] in words("given_names")),
        "alias": float(bool(known.aliases)),
        "confidence": known.confidence,
        "margin": min(_MOST_MARGIN, (evidence[0] - evidence[1]) / max(1, known.count)),
        f"type {known.best()}": 1.0,
    }


def _is_mixed(part: str) -> bool:
    """Capitals elsewhere than at its start, small letters too."""
    return not (part.islower() or part.removesuffix("s").isupper() or (part[:1].isupper() and part[1:].islower()))


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    stored: dict[str, Any] = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return stored


@cache
def _vector() -> NDArray[np.float32]:
    stored: NDArray[np.float16] = np.load(VECTOR, allow_pickle=False)
    return stored.astype(np.float32)
