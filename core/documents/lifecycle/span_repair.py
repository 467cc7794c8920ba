"""Traces edited text to its source: unchanged text keeps its page and box, new text joins its neighbour. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import accumulate, groupby

from core.documents.model import Span

_PIECE = re.compile(r"[A-Za-z0-9]+|\s+|.", re.DOTALL)
_GAP = 2
"""Characters between two stretches of one block that belong to it as well."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Old text start..end became new text start..end (all in characters, ends exclusive)."""

    kept: bool
    old_start: int
    old_end: int
    new_start: int
    new_end: int

    def moved(self, start: int, end: int) -> tuple[int, int] | None:
        """The new place of the old characters, if this stretch contains all of them unchanged."""
        if not self.kept or start < self.old_start or end > self.old_end:
            return None
        return start - self.old_start + self.new_start, end - self.old_start + self.new_start


def stretches(old: str, new: str) -> list[Stretch]:
    """Covers both texts completely, compared word by word and Chinese character by character."""
    before, after = _PIECE.findall(old), _PIECE.findall(new)
    old_ends = list(accumulate(map(len, before), initial=0))
    new_ends = list(accumulate(map(len, after), initial=0))
    steps = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [
        Stretch(tag == "equal", old_ends[i1], old_ends[i2], new_ends[j1], new_ends[j2]) for tag, i1, i2, j1, j2 in steps
    ]


def respan(old: str, spans: Sequence[Span], new: str) -> tuple[Span, ...]:
    """Spans of the new text; a text without spans gets none."""
    if not spans or not new:
        return ()
    owners: list[int] = []
    for stretch in stretches(old, new):
        owners += _owners(stretch, spans, owners[-1] if owners else 0)
    return tuple(_fused(_runs(owners, spans)))


def _owners(stretch: Stretch, spans: Sequence[Span], last: int) -> list[int]:
    """For each new character, the index of its span; between two spans, the one before."""
    if not stretch.kept:
        replaced = (
            place for place, span in enumerate(spans) if span.start < stretch.old_end and span.end > stretch.old_start
        )
        return [next(replaced, last)] * (stretch.new_end - stretch.new_start)
    found: list[int] = []
    for character in range(stretch.old_start, stretch.old_end):
        last = next((place for place, span in enumerate(spans) if span.start <= character < span.end), last)
        found.append(last)
    return found


def _runs(owners: Sequence[int], spans: Sequence[Span]) -> Iterator[Span]:
    start = 0
    for place, group in groupby(owners):
        end = start + len(list(group))
        yield replace(spans[place], start=start, end=end)
        start = end


def _fused(runs: Iterator[Span]) -> list[Span]:
    """Merges neighbouring stretches of the same block."""
    fused: list[Span] = []
    for span in runs:
        if fused and fused[-1].block == span.block and span.start - fused[-1].end <= _GAP:
            fused[-1] = replace(fused[-1], end=span.end)
        else:
            fused.append(span)
    return fused
