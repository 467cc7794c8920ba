"""Relations an edited text still states: those whose words from one name to the other are unchanged. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.documents.extraction.span_alignment import nearest
from core.documents.lifecycle.span_repair import Stretch
from core.graph.model import Mention, Relation, Saying


@dataclass(frozen=True, slots=True)
class Edit:
    """The effect of editing one chunk on its mentions."""

    before: tuple[Mention, ...]
    after: tuple[Mention, ...]
    elsewhere: tuple[Mention, ...]
    """Of the document's other chunks."""
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
    """Where the sentence stands now; nowhere if it was changed."""
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
