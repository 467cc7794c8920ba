"""Types of names by their meaning: evidence from the sentence encoder.

The weights in meanings.npy come from benchmarks/fit_types.py.
"""

from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from core.models.ports import Embedder
from core.platform.errors import ServiceError
from core.rulebook.entities.acronyms import is_acronym
from core.rulebook.entities.spans import CONCEPT, LOCATION, ORGANIZATION, PERSON, TECHNOLOGY

FITTED_FOR = "use-multilingual-3-512"
"""The encoder for which the weights were fitted; vectors of others give no evidence."""
WEIGHTS = Path(__file__).with_name("meanings.npy")
TYPES = (TECHNOLOGY, CONCEPT, PERSON, ORGANIZATION, LOCATION)
"""Types in the order of the columns."""
_FAINT, _WEIGHT = 0.3, 2.5
"""Scores below are none; evidence of a score of 1, for each mention."""
_FAINT_ACRONYM = 0.6
"""Letters alone say little: most look like an organization."""
_LEAST_CONFIDENCE = 0.6
"""Of names that are mentioned once: what is less sure is seldom kept."""
_MOST_PER_TEXT = 2
"""Names for each text of the document, the most mentioned ones: 0.6 ms each."""
_LEAST_NAMES = 20
"""Fewest names for which loading the encoder, slower than reading a small document, is worth it."""
_DECIDED = 3.0
"""Lead of the best type, per mention, from which meaning is not considered."""


class WeighedName(Protocol):
    """A name of a document with the evidence for its types."""

    evidence: dict[str, float]
    count: int
    confidence: float

    def add(self, kind: str, weight: float) -> None: ...


class Meanings:
    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def weigh(self, names: Iterable[tuple[str, WeighedName]], texts: int) -> None:
        """Adds evidence where that of words and context leaves the type open; none where the encoder fails.

        texts: how many the names are from, which bounds how many are weighed.
        """
        in_order = sorted(names, key=lambda named: -named[1].count)
        open_names = list(islice((named for named in in_order if _is_open(named[1])), _MOST_PER_TEXT * texts))
        vectors = self.vectors([name for name, _ in open_names])
        if vectors is None:
            return
        for (name, known), scores in zip(open_names, _scores(vectors), strict=True):
            faint = _FAINT_ACRONYM if is_acronym(name) else _FAINT
            for kind, score in zip(TYPES, scores.tolist(), strict=True):
                if score > faint:
                    known.add(kind, _WEIGHT * (score - faint) * max(1, known.count))

    def vectors(self, texts: Sequence[str]) -> NDArray[np.float32] | None:
        """Return one row per text; None for too few texts to load the encoder, or if it fails or is another one."""
        if len(texts) < _LEAST_NAMES or self._embedder.name != FITTED_FOR:
            return None
        try:
            return np.asarray(self._embedder.embed(texts), dtype=np.float32)
        except ServiceError:
            return None


def _is_open(known: WeighedName) -> bool:
    if known.count < 2 and known.confidence < _LEAST_CONFIDENCE:
        return False
    best, *others = sorted(known.evidence.values(), reverse=True) or [0.0]
    return best - max(others, default=0.0) < _DECIDED * max(1, known.count)


def _scores(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """(names, types), about 1 for the type of a name and 0 for the others."""
    weights = _weights()
    scores: NDArray[np.float32] = vectors @ weights[:-1] + weights[-1]
    return scores


@cache
def _weights() -> NDArray[np.float32]:
    """One row a dimension of the vectors, the last for the constant."""
    stored: NDArray[np.float16] = np.load(WEIGHTS, allow_pickle=False)
    return stored.astype(np.float32)
