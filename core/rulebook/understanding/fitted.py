"""Weights of labelled examples, from the package or, for other examples than those that it was made of, fitted.

`python -m benchmarks.fit_examples` makes the files that come with the package, for the sentence encoder.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar
from zipfile import BadZipFile

import numpy as np

from core.models.ports import Embedder
from core.platform.errors import ServiceError
from core.platform.language.terms import normal_form

FITTED = "fitted.npz"
"""Name of the file beside the examples."""
MAX_LENGTH = 240
"""Longest text whose margins are remembered, in characters."""
REMEMBERED = 4_000
RIDGE = 0.3
"""Regularisation strength, chosen by leave-one-out error."""
L = TypeVar("L", bound=StrEnum)
_STORED = np.float16
"""Type of stored vectors, which changes cosines by less than 0.001."""


@dataclass(frozen=True, slots=True)
class Fitted:
    vectors: Any
    """(examples, dimension)."""
    weights: Any
    """(examples, labels): evidence for each label, in the order of labels_of()."""


def read_labelled(folder: Path, labels: type[L]) -> Mapping[str, L]:
    """The examples of a folder with a file per label."""
    return {line: label for label in labels for line in lines_of(folder, label)}


def lines_of(folder: Path, label: str) -> list[str]:
    return (folder / f"{label}.txt").read_text(encoding="utf-8").splitlines()


class Examples(Generic[L]):
    """Labelled examples, whose weights are loaded or fitted on first use; thread-safe."""

    def __init__(self, embedder: Embedder, labels: Mapping[str, L], path: Path) -> None:
        """path: file of the weights."""
        self._embedder = embedder
        self._labels = labels
        self._path = path
        self._fitted: Fitted | None = None
        self._fitting = Lock()
        self._known = lru_cache(REMEMBERED)(lambda text: self.compared(text)[1])

    def margins(self, text: str) -> Mapping[L, float]:
        """Those of compared(), remembered; none of a long text, without a semantic embedder, or where it fails."""
        try:
            return self._known(text) if self._embedder.semantic and len(text) <= MAX_LENGTH else {}
        except ServiceError:
            return {}

    def compared(self, text: str) -> tuple[Any, Mapping[L, float]]:
        """Cosine similarity to each example, and the margin of each label: from about -1, another one, to 1.

        Raises ServiceError.
        """
        fitted = self.fit()
        likeness = fitted.vectors @ np.asarray(self._embedder.embed_query(normal_form(text)))
        margins = (np.clip(likeness, 0, 1) ** 2 @ fitted.weights).tolist()
        return likeness, dict(zip(labels_of(self._labels), margins, strict=True))

    def fit(self) -> Fitted:
        with self._fitting:
            if self._fitted is None:
                self._fitted = loaded_or_fitted(self._embedder, self._labels, self._path)
            return self._fitted


def labels_of(examples: Mapping[str, L]) -> list[L]:
    return sorted(set(examples.values()))


def loaded_or_fitted(embedder: Embedder, examples: Mapping[str, StrEnum], path: Path) -> Fitted:
    """The weights of the file if it is of these examples and this embedder, else those fitted. Raises ServiceError."""
    digest = digest_of(embedder, examples)
    return _loaded(path, digest, len(examples), embedder.dimension) or fitted(embedder, examples)


def fitted(embedder: Embedder, examples: Mapping[str, StrEnum]) -> Fitted:
    vectors = np.asarray(embedder.embed(list(examples)), np.float32).astype(_STORED).astype(np.float32)
    kernel = np.clip(vectors @ vectors.T, 0, 1) ** 2
    wanted = np.array([[1.0 if of is label else -1.0 for label in labels_of(examples)] for of in examples.values()])
    return Fitted(vectors, np.linalg.solve(kernel + RIDGE * np.eye(len(examples)), wanted).astype(np.float32))


def digest_of(embedder: Embedder, examples: Mapping[str, StrEnum]) -> str:
    told = [embedder.name, str(RIDGE), *(f"{label}\t{message}" for message, label in examples.items())]
    return sha256("\n".join(told).encode()).hexdigest()


def packed(fitted: Fitted, digest: str) -> bytes:
    file = BytesIO()
    np.savez(file, vectors=fitted.vectors.astype(_STORED), weights=fitted.weights, digest=np.array(digest))
    return file.getvalue()


def _loaded(path: Path, digest: str, count: int, dimension: int) -> Fitted | None:
    """None if there are none or they belong to other examples."""
    try:
        with np.load(path, allow_pickle=False) as file:
            if str(file["digest"]) != digest:
                return None
            found = Fitted(file["vectors"].astype(np.float32), file["weights"])
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None
    whole = found.vectors.shape == (count, dimension) and found.weights.shape[:1] == (count,)
    return found if whole else None
