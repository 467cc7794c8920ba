"""`python -m benchmarks.fit_types DATA`: fits the weights of core/rulebook/entities/meanings.npy.

A ridge regression from the vector of a name to its type, on the names of the public sets in DATA and of our own lists.
Printed first: how often the best type is right for each source, with weights that were fitted on the others.
"""

import json
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.ner import CHINESE, ENGLISH
from core.app.bench.entities import type_of
from core.models.embedding.sentence_encoder import UniversalSentenceEncoder
from core.rulebook.entities.lexicon import phrases
from core.rulebook.entities.meanings import TYPES, WEIGHTS
from core.rulebook.vocabulary import words

_RIDGE = 2.0
_PHRASES = {
    "places": "LOCATION",
    "organizations": "ORGANIZATION",
    "technologies": "TECHNOLOGY",
    "concepts": "CONCEPT",
    "zh_places": "LOCATION",
    "zh_terms": "CONCEPT",
}
_WORDS = {"zh_persons": "PERSON", "zh_generic_nouns": "CONCEPT", "zh_everyday": "CONCEPT"}
Matrix = NDArray[np.float64]


def examples(data: Path) -> dict[str, tuple[str, str]]:
    """Name -> type and source; the first source that has a name decides."""
    found: dict[str, tuple[str, str]] = {}
    for source in (ENGLISH, CHINESE):
        for row in map(json.loads, (data / source).read_text(encoding="utf-8").splitlines()):
            for entity in row["entities"]:
                found.setdefault(entity["text"], (type_of(entity["type"]), source))
    for file, kind in _PHRASES.items():
        found |= {name: (kind, "lists") for name in sorted(phrases(file)) if name not in found}
    for file, kind in _WORDS.items():
        found |= {word: (kind, "lists") for word in sorted(words(file)) if len(word) > 1 and word not in found}
    return found


def fit(vectors: Matrix, types: NDArray[np.int64]) -> Matrix:
    """Rare types count more: by the square root of how rare they are."""
    counts = np.bincount(types, minlength=len(TYPES))
    weight = np.sqrt(len(types) / len(TYPES) / np.maximum(counts, 1))[types][:, None]
    rows = np.hstack([vectors, np.ones((len(vectors), 1))])
    ridge = _RIDGE * np.eye(rows.shape[1])
    inner, outer = (rows * weight).T @ rows, (rows * weight).T @ np.eye(len(TYPES))[types]
    return np.asarray(np.linalg.solve(inner + ridge, outer), dtype=np.float64)


def main(data: Path) -> None:
    found = examples(data)
    vectors = np.asarray(UniversalSentenceEncoder().embed(list(found)), dtype=np.float64)
    types = np.array([TYPES.index(kind) for kind, _ in found.values()])
    sources = np.array([source for _, source in found.values()])
    for source in dict.fromkeys(sources.tolist()):
        held = sources == source
        weights = fit(vectors[~held], types[~held])
        right = (vectors[held] @ weights[:-1] + weights[-1]).argmax(axis=1) == types[held]
        sys.stdout.write(f"{source}: {right.mean():.2f} of {held.sum()} by weights of the others\n")
    np.save(WEIGHTS, fit(vectors, types).astype(np.float16))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
