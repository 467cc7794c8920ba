"""What a message says to the offer to remember or forget something, by labelled examples."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from core.memory.model import MemoryReply
from core.models.ports import Embedder
from core.platform.language.terms import normal_form
from core.rulebook.understanding.fitted import FITTED, Examples, read_labelled

EXAMPLES = Path(__file__).with_name("examples") / "replies"
"""One file per label, one message per line in the form of normal_form(), without the mark of a statement."""
LEAD = 0.1
"""Least lead of a label's margin over those of the others: when their own weight is left out, 87 % of the examples
have it for their own one, and 3 % of those that reply to nothing, and 4 % of statements, for another."""
_MARKS = " .。!！"


class Replies:
    """Classifies messages; thread-safe. Without a semantic embedder only the examples themselves are known."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def of(self, message: str) -> MemoryReply:
        words = normal_form(" ".join(message.split())).strip(_MARKS)
        if known := self._known.get(words.casefold()):
            return known
        margins = self._examples.margins(words) if words else {}
        ranked = sorted(margins, key=lambda label: margins[label], reverse=True)
        return ranked[0] if ranked and margins[ranked[0]] - margins[ranked[1]] >= LEAD else MemoryReply.OTHER

    @cached_property
    def _known(self) -> Mapping[str, MemoryReply]:
        return {line.casefold(): label for line, label in read_examples().items()}

    @cached_property
    def _examples(self) -> Examples[MemoryReply]:
        return Examples(self._embedder, read_examples(), EXAMPLES / FITTED)


def read_examples() -> Mapping[str, MemoryReply]:
    return read_labelled(EXAMPLES, MemoryReply)
