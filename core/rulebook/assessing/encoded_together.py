"""Texts that are encoded in one call of the encoder: each call takes as long as twenty words."""

from collections.abc import Iterable, Sequence
from typing import Protocol


class Encodes(Protocol):
    """The part of an embedder that makes vectors of texts."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]: ...


class EncodedTogether:
    """Asks the encoder again only for texts that were not foreseen."""

    def __init__(self, encoder: Encodes, texts: Iterable[str]) -> None:
        self._encoder = encoder
        self._vectors: dict[str, Sequence[float]] = {}
        self._add(texts)

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        self._add(texts)
        return [self._vectors[text] for text in texts]

    def _add(self, texts: Iterable[str]) -> None:
        if new := [text for text in dict.fromkeys(texts) if text not in self._vectors]:
            self._vectors |= zip(new, self._encoder.embed(new), strict=True)
