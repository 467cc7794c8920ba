"""Links relations that a text states to the entities their names became. Pure."""

from collections.abc import Sequence

from core.documents.model import Chunk
from core.graph.model import FoundRelation, Mention, Place, Relation
from core.graph.naming import display_form

LONGEST = 80
"""Characters of a verb phrase."""


def stated_relations_in(
    chunks: Sequence[Chunk], mentions: Sequence[Mention], found: Sequence[FoundRelation]
) -> tuple[Relation, ...]:
    """One a pair of entities and verb phrase, with the page of every place that states it.

    Left out where one of the entities was not kept, or both turned out to be the same.
    """
    by_place = {(mention.chunk_id, mention.start, mention.end): mention for mention in mentions}
    relations: dict[tuple[str, str, str], Relation] = {}
    for each in found:
        source, target = (by_place.get(_key(chunks, place)) for place in (each.source, each.target))
        name = display_form(each.relation)[:LONGEST]
        if source is None or target is None or source.entity_id == target.entity_id or not name:
            continue
        key = (source.entity_id, target.entity_id, name)
        known = relations.get(key)
        pages = dict.fromkeys([*(known.pages if known else ()), (source.document_id, max(source.page, target.page))])
        weight = max(each.confidence, known.weight if known else 0.0)
        relations[key] = Relation(*key, weight, tuple(pages))
    return tuple(relations.values())


def _key(chunks: Sequence[Chunk], place: Place) -> tuple[str, int, int]:
    number, start, end = place
    return (chunks[number].id if 0 <= number < len(chunks) else "", start, end)
