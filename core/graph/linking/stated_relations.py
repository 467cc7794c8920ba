"""Links relations that a text states to the entities their names became. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.documents.model import Chunk
from core.graph.model import FoundRelation, Mention, Place, Relation, Saying
from core.graph.naming import display_form
from core.rulebook.vocabulary import verbs_of

LONGEST = 80
"""Characters of a verb phrase."""


def stated_relations_in(
    chunks: Sequence[Chunk], mentions: Sequence[Mention], found: Sequence[FoundRelation]
) -> tuple[Relation, ...]:
    """One a pair of entities and verb phrase, with every place that states it; "acquired" and "acquire" are one.

    Left out where one of the entities was not kept, or both turned out to be the same.
    """
    by_place = {(mention.chunk_id, mention.start, mention.end): mention for mention in mentions}
    relations: dict[tuple[str, str, str], Relation] = {}
    for each in found:
        source, target = (by_place.get(_key(chunks, place)) for place in (each.source, each.target))
        name = display_form(each.relation)[:LONGEST]
        if source is None or target is None or source.entity_id == target.entity_id or not name:
            continue
        key = (source.entity_id, target.entity_id, verbs_of(name))
        known = relations.get(key) or Relation(source.entity_id, target.entity_id, name, 0.0)
        pages = dict.fromkeys([*known.pages, (source.document_id, max(source.page, target.page))])
        sayings = dict.fromkeys([*known.sayings, *_saying(source.document_id, chunks, each.sentence)])
        weight = max(each.confidence, known.weight)
        relations[key] = replace(known, weight=weight, pages=tuple(pages), sayings=tuple(sayings))
    return tuple(relations.values())


def _saying(document_id: str, chunks: Sequence[Chunk], sentence: Place | None) -> Iterator[Saying]:
    if sentence is not None:
        number, start, end = sentence
        yield Saying(document_id, chunks[number].id, start, end)


def _key(chunks: Sequence[Chunk], place: Place) -> tuple[str, int, int]:
    number, start, end = place
    return (chunks[number].id if 0 <= number < len(chunks) else "", start, end)
