"""Weights of labelled examples, from the package or fitted once and cached in a file.

`python -m benchmarks.fit_examples` makes the files that come with the package, for the sentence encoder.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any
from zipfile import BadZipFile

import numpy as np

from core.models.ports import Embedder
from core.platform.files.atomic_file import write_atomically
from core.platform.language.terms import normal_form

FITTED = "fitted.npz"
"""Name of the file beside the examples."""
RIDGE = 0.3
"""Regularisation strength, chosen by leave-one-out error."""
_STORED = np.float16
"""Type of stored vectors, which changes cosines by less than 0.001."""


@dataclass(frozen=True, slots=True)
class Fitted:
    vectors: Any
    """(examples, dimension)."""
    weights: Any
    """(examples,): evidence against the usual label; mostly negative for its own examples."""


class Examples:
    """Labelled examples, whose weights are loaded or fitted on first use; thread-safe."""

    def __init__(self, embedder: Embedder, labels: Mapping[str, StrEnum], usual: StrEnum, *paths: Path | None) -> None:
        """paths: as of kept_or_fitted()."""
        self._embedder = embedder
        self._labels = labels
        self._usual = usual
        self._paths = paths
        self._fitted: Fitted | None = None
        self._fitting = Lock()

    def compared(self, text: str) -> tuple[Any, float]:
        """Cosine similarity to each example, and the margin. Raises ServiceError."""
        fitted = self.fit()
        likeness = fitted.vectors @ np.asarray(self._embedder.embed_query(normal_form(text)))
        return likeness, float(fitted.weights @ np.clip(likeness, 0, 1) ** 2)

    def fit(self) -> Fitted:
        with self._fitting:
            if self._fitted is None:
                self._fitted = kept_or_fitted(self._embedder, self._labels, self._usual, *self._paths)
            return self._fitted


def kept_or_fitted(embedder: Embedder, examples: Mapping[str, StrEnum], usual: StrEnum, *paths: Path | None) -> Fitted:
    """Loads the weights from the first of the files that is of these examples and this embedder, else fits them.

    They are cached in the last of the files. Raises ServiceError.
    """
    digest = digest_of(embedder, examples)
    for path in filter(None, paths):
        if found := _kept(path, digest, len(examples), embedder.dimension):
            return found
    made = fitted(embedder, examples, usual)
    if paths and paths[-1]:
        with suppress(OSError):  # without it the next process does the work again
            write_atomically(paths[-1], packed(made, digest))
    return made


def fitted(embedder: Embedder, examples: Mapping[str, StrEnum], usual: StrEnum) -> Fitted:
    vectors = np.asarray(embedder.embed(list(examples)), np.float32).astype(_STORED).astype(np.float32)
    kernel = np.clip(vectors @ vectors.T, 0, 1) ** 2
    wanted = np.array([-1.0 if label is usual else 1.0 for label in examples.values()])
    return Fitted(vectors, np.linalg.solve(kernel + RIDGE * np.eye(len(examples)), wanted))


def digest_of(embedder: Embedder, examples: Mapping[str, StrEnum]) -> str:
    told = [embedder.name, str(RIDGE), *(f"{label}\t{message}" for message, label in examples.items())]
    return sha256("\n".join(told).encode()).hexdigest()


def packed(fitted: Fitted, digest: str) -> bytes:
    file = BytesIO()
    np.savez(file, vectors=fitted.vectors.astype(_STORED), weights=fitted.weights, digest=np.array(digest))
    return file.getvalue()


def _kept(path: Path, digest: str, count: int, dimension: int) -> Fitted | None:
    """The cached weights; None if there are none or they belong to other examples."""
    try:
        with np.load(path, allow_pickle=False) as file:
            if str(file["digest"]) != digest:
                return None
            found = Fitted(file["vectors"].astype(np.float32), file["weights"])
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None
    whole = found.vectors.shape == (count, dimension) and found.weights.shape == (count,)
    return found if whole else None
