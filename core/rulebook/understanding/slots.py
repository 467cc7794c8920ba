"""What a statement of a person tells of their home, employer or trade, by labelled examples."""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

from core.memory.model import HeldSlot, Slot
from core.models.ports import Embedder
from core.platform.language.detect import is_unspaced
from core.platform.language.terms import content_terms
from core.rulebook.understanding.fitted import FITTED, Examples
from core.rulebook.understanding.intents import plain_words

EXAMPLES = Path(__file__).with_name("examples") / "slots"
"""One file per slot, one statement per line; what it names stands in {braces}, what was before in [brackets]."""
SURE = 0.45
"""Margin from which a statement is of a slot: when their own weight is left out, 76 % of the examples reach it, and of
those of none, many written to be mistaken for one, 19 of 1,048."""
_PLAINLY = {
    Slot.HOME: ("I live here: ", "我住在这里："),
    Slot.EMPLOYER: ("I work here: ", "我在这里工作："),
    Slot.TRADE: ("My job: ", "我的工作："),
}
_NAMED = re.compile(r"\{.+?\}|\[.+?\]")
_BRACKETS = str.maketrans("", "", "{}[]")
_LEADS = "在到去来住于从回"
"""First characters of pairs that only lead to a Chinese name."""


class StatementSlots:
    """Classifies statements; thread-safe. Without a semantic embedder none is recognised."""

    def __init__(self, embedder: Embedder, kept: Path | None = None) -> None:
        """kept: file that caches the weights of the examples for another embedder than the one that comes along."""
        self._embedder = embedder
        self._kept = kept

    def of(self, statement: str) -> HeldSlot | None:
        """Return the slot with the terms that are no words of the examples; None if it certainly is of no slot."""
        margins = self._fitted.margins(plain_words(statement))
        if not margins or -margins[Slot.NONE] < SURE:
            return None
        slot = max(_PLAINLY, key=lambda each: margins[each])
        named = (term for term in content_terms(statement) if term[0] not in _LEADS)
        return HeldSlot(slot, frozenset(named) - self._frame, _PLAINLY[slot][is_unspaced(statement)])

    @cached_property
    def _fitted(self) -> Examples[Slot]:
        return Examples(self._embedder, read_examples(), EXAMPLES / FITTED, self._kept)

    @cached_property
    def _frame(self) -> frozenset[str]:
        """Terms that the examples have more often beside what they name than in it."""
        text = "\n".join(line for slot in Slot for line in _lines(slot))
        named = Counter(content_terms("\n".join(_NAMED.findall(text))))
        return frozenset(Counter(content_terms(_NAMED.sub("\n", text))) - named)


def read_examples() -> Mapping[str, Slot]:
    return {plain_words(line.translate(_BRACKETS)): slot for slot in Slot for line in _lines(slot)}


def _lines(slot: Slot) -> list[str]:
    return (EXAMPLES / f"{slot}.txt").read_text(encoding="utf-8").splitlines()
