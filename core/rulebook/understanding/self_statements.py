"""Whether a sentence tells something lasting of the writer's own life, by labelled examples."""

from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property, lru_cache
from pathlib import Path

from core.models.ports import Embedder
from core.platform.errors import ServiceError
from core.rulebook.understanding.fitted import FITTED, Examples

EXAMPLES = Path(__file__).with_name("examples") / "self"
"""One file per label, one sentence per line in the form of normal_form(), without the mark of a statement."""
MAX_LENGTH = 240
_MARKS = " .。!！"
"""A question keeps its mark, which tells it from a statement."""
REMEMBERED = 4_000


class OfSelf(StrEnum):
    TOLD = "told"
    OTHER = "other"


class SelfStatements:
    """Classifies sentences; thread-safe. Without a semantic embedder none is recognised."""

    def __init__(self, embedder: Embedder, kept: Path | None = None) -> None:
        """kept: file that caches the weights of the examples for another embedder than the one that comes along."""
        self._embedder = embedder
        self._kept = kept
        self._known = lru_cache(REMEMBERED)(self._judged)

    def margin(self, sentence: str) -> float:
        """From about -1, of another kind, to 1; see TOLD in core/agents/nodes/understood.py."""
        try:
            return self._known(sentence) if self._embedder.semantic and len(sentence) <= MAX_LENGTH else -1.0
        except ServiceError:
            return -1.0

    def _judged(self, sentence: str) -> float:
        return self._fitted.compared(sentence.rstrip(_MARKS))[1]

    @cached_property
    def _fitted(self) -> Examples:
        return Examples(self._embedder, read_examples(), OfSelf.OTHER, EXAMPLES / FITTED, self._kept)


def read_examples() -> Mapping[str, OfSelf]:
    """With those of messages that are nothing but a statement."""
    files = [
        (OfSelf.TOLD, EXAMPLES.with_name("statement.txt")),
        *((label, EXAMPLES / f"{label}.txt") for label in OfSelf),
    ]
    return {line: label for label, path in files for line in path.read_text(encoding="utf-8").splitlines()}
