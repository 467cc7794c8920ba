"""Weights of labelled examples, fitted once and cached in a file."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from core.atomic_file import write_atomically
from core.ports.models import Embedder

RIDGE = 0.3
"""Regularisation strength, chosen by leave-one-out error."""


@dataclass(frozen=True, slots=True)
class Fitted:
    vectors: Any
    """(examples, dimension)."""
    weights: Any
    """(examples,): evidence against the usual label; mostly negative for its own examples."""


def kept_or_fitted(embedder: Embedder, examples: Mapping[str, StrEnum], usual: StrEnum, path: Path | None) -> Fitted:
    """Loads the cached weights if examples and embedder are the same, else fits them. Raises ServiceError."""
    digest = _digest(embedder, examples)
    found = _kept(path, digest, len(examples), embedder.dimension) if path else None
    if found:
        return found
    made = _fitted(embedder, examples, usual)
    if path:
        with suppress(OSError):  # without it the next process does the work again
            write_atomically(path, _packed(made, digest))
    return made


def _fitted(embedder: Embedder, examples: Mapping[str, StrEnum], usual: StrEnum) -> Fitted:
    vectors = np.asarray(embedder.embed(list(examples)), np.float32)
    kernel = np.clip(vectors @ vectors.T, 0, 1) ** 2
    wanted = np.array([-1.0 if label is usual else 1.0 for label in examples.values()])
    return Fitted(vectors, np.linalg.solve(kernel + RIDGE * np.eye(len(examples)), wanted))


def _digest(embedder: Embedder, examples: Mapping[str, StrEnum]) -> str:
    told = [embedder.name, str(RIDGE), *(f"{label}\t{message}" for message, label in examples.items())]
    return sha256("\n".join(told).encode()).hexdigest()


def _packed(fitted: Fitted, digest: str) -> bytes:
    file = BytesIO()
    np.savez(file, vectors=fitted.vectors, weights=fitted.weights, digest=np.array(digest))
    return file.getvalue()


def _kept(path: Path, digest: str, count: int, dimension: int) -> Fitted | None:
    """The cached weights; None if there are none or they belong to other examples."""
    try:
        with np.load(path, allow_pickle=False) as file:
            if str(file["digest"]) != digest:
                return None
            found = Fitted(file["vectors"], file["weights"])
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None
    whole = found.vectors.shape == (count, dimension) and found.weights.shape == (count,)
    return found if whole else None
