"""Packs texts into units that a model reads in one call, and maps places in a unit back to its texts. Pure."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from core.documents.extraction.batching import shared_out
from core.models.ports import OF_A_SERVICE
from core.models.tokens import estimate_tokens

BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class PackedTexts:
    """Neighbouring texts combined into one."""

    text: str
    members: tuple[int, ...]
    """Indexes of the texts."""
    starts: tuple[int, ...]
    """Start of each text in the unit."""

    def origin(self, start: int, end: int) -> tuple[int, int, int] | None:
        """(index of the text, start and end in it) of a stretch; None if it crosses the end of a text."""
        number = bisect_right(self.starts, start) - 1
        limit = self.starts[number + 1] - len(BETWEEN) if number + 1 < len(self.starts) else len(self.text)
        if number < 0 or end > limit:
            return None
        return self.members[number], start - self.starts[number], end - self.starts[number]


def pack(
    texts: Sequence[str], most_tokens: int = OF_A_SERVICE.unit_tokens, among: Sequence[int] | None = None
) -> list[PackedTexts]:
    """Units of about equal size, blank texts left out; a text is never cut, so one that is longer is a unit alone.

    among: places of the texts to take; all when None.
    """
    places = [place for place in (range(len(texts)) if among is None else among) if texts[place].strip()]
    tokens = [estimate_tokens(texts[place]) for place in places]
    groups = shared_out(tokens, math.ceil(sum(tokens) / most_tokens))
    return [_joined(texts, [places[each] for each in group]) for group in groups]


def halves(texts: Sequence[str], unit: PackedTexts) -> list[PackedTexts]:
    """The unit split in two for a retry; a unit of one text stays whole."""
    middle = len(unit.members) // 2
    return [_joined(texts, part) for part in (unit.members[:middle], unit.members[middle:]) if part]


def _joined(texts: Sequence[str], places: Sequence[int]) -> PackedTexts:
    starts, position = [], 0
    for place in places:
        starts.append(position)
        position += len(texts[place]) + len(BETWEEN)
    return PackedTexts(BETWEEN.join(texts[place] for place in places), tuple(places), tuple(starts))
