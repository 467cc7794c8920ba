"""Which entities share which chunks, in the form in which it is stored with a document."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.documents.ports.publishing import Publication
from core.graph.model import CooccurrenceGroup, Mention

Packed = Mapping[str, Sequence[Any]]
"""A document's incidence: `entities` (ids, sorted), and for its chunks their `sizes` and, chunk after chunk, `members`
(places in `entities`) and `pages` (where the chunk first mentions the member). Pairs are never kept."""


def incidence_of(publication: Publication) -> dict[str, list[Any]]:
    """By the mentions; of an imported graph as it says, without what is no longer mentioned."""
    if publication.cooccurrence is None:
        return pack(publication.mentions)
    mentioned = {mention.entity_id for mention in publication.mentions}
    groups = (
        replace(group, entity_ids=tuple(id for id in group.entity_ids if id in mentioned))
        for group in publication.cooccurrence
    )
    return pack_groups(group for group in groups if group.entity_ids)


def pack(mentions: Iterable[Mention]) -> dict[str, list[Any]]:
    """Independent of the order of mentions."""
    chunks: dict[str, dict[str, tuple[int, int]]] = {}
    for mention in mentions:
        members = chunks.setdefault(mention.chunk_id, {})
        first = (mention.start, mention.page)
        members[mention.entity_id] = min(members.get(mention.entity_id, first), first)
    return _packed([(id, chunks[chunk_id][id][1]) for id in sorted(chunks[chunk_id])] for chunk_id in sorted(chunks))


def pack_groups(groups: Iterable[CooccurrenceGroup]) -> dict[str, list[Any]]:
    """Each group like a chunk that mentions its entities."""
    return _packed([(id, group.page) for id in group.entity_ids] for group in groups)


def unpack_groups(packed: Packed) -> Iterator[CooccurrenceGroup]:
    start = 0
    for size in packed["sizes"]:
        places = packed["members"][start : start + size]
        yield CooccurrenceGroup(packed["pages"][start], tuple(packed["entities"][place] for place in places))
        start += size


def _packed(chunks: Iterable[list[tuple[str, int]]]) -> dict[str, list[Any]]:
    """chunks: (entity, page) of what each mentions, by entity."""
    every = list(chunks)
    places = {id: place for place, id in enumerate(sorted({id for chunk in every for id, _ in chunk}))}
    return {
        "entities": list(places),
        "sizes": [len(chunk) for chunk in every],
        "members": [places[id] for chunk in every for id, _ in chunk],
        "pages": [page for chunk in every for _, page in chunk],
    }
