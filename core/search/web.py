"""Web search."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class WebResult:
    title: str
    url: str
    text: str
    score: float | None


class WebSearch(Protocol):
    def search(self, query: str, limit: int) -> Iterable[WebResult]:
        """Raises ServiceError for every failure of the service."""
