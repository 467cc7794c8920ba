"""Consequences of an edit: unchanged text keeps its page and box, and the relations that it states. Pure functions."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import accumulate, groupby

from core.documents.extraction.span_alignment import nearest
from core.documents.model import Span
from core.documents.reading.chunk import fused
from core.graph.model import Mention, Relation, Saying

_PIECE = re.compile(r"[A-Za-z0-9]+|\s+|.", re.DOTALL)


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
    return fused(_runs(owners, spans))


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


@dataclass(frozen=True, slots=True)
class Edit:
    """The effect of editing one chunk on its mentions."""

    before: tuple[Mention, ...]
    after: tuple[Mention, ...]
    elsewhere: tuple[Mention, ...]
    """Mentions in the document's other chunks."""
    steps: tuple[Stretch, ...]


def still_stated(relations: Sequence[Relation], edit: Edit) -> tuple[Relation, ...]:
    """With the pages that still support each relation; one without any page left is dropped."""
    touched = {mention.page for mention in edit.before}
    kept = []
    for relation in relations:
        pages = tuple(
            place for place in relation.pages if place[1] not in touched or _is_supported(relation, place[1], edit)
        )
        sayings = tuple(moved for each in relation.sayings for moved in _moved(each, edit))
        if pages or not relation.pages:
            kept.append(replace(relation, pages=pages, sayings=sayings))
    return tuple(kept)


def _moved(saying: Saying, edit: Edit) -> Iterator[Saying]:
    """The sentence at its new place; nothing if it was changed."""
    if saying.chunk_id not in {mention.chunk_id for mention in edit.before}:
        yield saying
        return
    if place := next(filter(None, (step.moved(*saying.span) for step in edit.steps)), None):
        yield replace(saying, start=place[0], end=place[1])


def _is_supported(relation: Relation, page: int, edit: Edit) -> bool:
    ends = (relation.source_id, relation.target_id)
    if _together(ends, page, edit.elsewhere):
        return True
    sources, targets = (_spans(edit.before, end) for end in ends)
    if sources and targets:
        pair = nearest(sources, targets)
        return pair is None or _stands(pair, edit.steps)
    there = {mention.entity_id for mention in (*edit.elsewhere, *edit.after)}
    return there.issuperset(ends)


def _together(ends: tuple[str, str], page: int, mentions: Sequence[Mention]) -> bool:
    """Whether one chunk with this page mentions both."""
    first, second = ({m.chunk_id for m in mentions if m.entity_id == end and m.page == page} for end in ends)
    return not first.isdisjoint(second)


def _spans(mentions: Sequence[Mention], entity_id: str) -> list[tuple[int, int]]:
    return [(mention.start, mention.end) for mention in mentions if mention.entity_id == entity_id]


def _stands(pair: tuple[tuple[int, int], tuple[int, int]], steps: Sequence[Stretch]) -> bool:
    start, end = min(span[0] for span in pair), max(span[1] for span in pair)
    return any(step.moved(start, end) for step in steps)
