"""An embedder that falls back to another one if the first cannot be loaded."""

import logging
from collections.abc import Sequence
from threading import Lock
from typing import Any

from core.models.ports import PassageEmbedder
from core.platform.errors import ServiceError

_LOG = logging.getLogger(__name__)


class FallbackEmbedder:
    """Chooses once, on first use.

    Vectors of two embedders are never mixed: even its name is known only when the first has been tried.
    """

    def __init__(self, first: PassageEmbedder, second: PassageEmbedder) -> None:
        self._first = first
        self._second = second
        self._deciding = Lock()
        self._chosen: PassageEmbedder | None = None
        self._fault: ServiceError | None = None

    @property
    def fault(self) -> ServiceError | None:
        """Why the first is not used; None where it is."""
        self._decided()
        return self._fault

    @property
    def name(self) -> str:
        return self._decided().name

    @property
    def dimension(self) -> int:
        return self._decided().dimension

    @property
    def semantic(self) -> bool:
        return self._decided().semantic

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return self._decided().embed(texts)

    def embed_query(self, text: str) -> Sequence[float]:
        return self._decided().embed_query(text)

    def embed_parts(self, passages: Sequence[Sequence[str]]) -> Sequence[Any] | None:
        return self._decided().embed_parts(passages)

    def _decided(self) -> PassageEmbedder:
        with self._deciding:
            if self._chosen is None:
                try:
                    self._first.embed(["."])
                    self._chosen = self._first
                except ServiceError as error:
                    _LOG.warning("%s", error)
                    self._fault, self._chosen = error, self._second
            return self._chosen
