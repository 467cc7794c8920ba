"""Packs texts into units of about equal size that a model reads in one call, and maps places back to texts. Pure."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from core.models.ports import OF_A_SERVICE
from core.models.tokens import estimate_tokens

BETWEEN = "\n\n"
LEAST_PART, OF = 7, 10
"""A call is at least seven tenths full, because the instructions go along with each."""


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


def pack(texts: Sequence[str], most_tokens: int = OF_A_SERVICE.unit_tokens) -> list[PackedTexts]:
    """Units of about equal size, blank texts left out; a text is never cut, so one that is longer is a unit alone."""
    places = [place for place, text in enumerate(texts) if text.strip()]
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


def least(most: int) -> int:
    """The smallest size of a call that is full enough to be made."""
    return most * LEAST_PART // OF


def calls_for(whole: int, most: int, slots: int) -> int:
    """As few calls as hold the whole, or as many more as fill the slots of the last round."""
    fewest = max(1, -(-whole // most))
    rounds = -(-fewest // slots)
    return max(fewest, min(rounds * slots, whole // least(most)))


def shared_out(sizes: Sequence[int], count: int) -> list[list[int]]:
    """Indexes in order, in at most `count` groups of about equal size; a share is exceeded by up to half a text."""
    whole = sum(sizes)
    groups: list[list[int]] = [[] for _ in range(count)]
    before = 0
    for place, size in enumerate(sizes):
        groups[min(count - 1, int((before + size / 2) * count / whole))].append(place)
        before += size
    return [group for group in groups if group]
