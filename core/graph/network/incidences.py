"""Which entities share which chunks, in the form in which it is stored with a document."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

from core.documents.ports.publishing import Publication
from core.graph.model import CooccurrenceGroup, Mention
from core.platform.language.sentences import sentence_spans

Packed = Mapping[str, Sequence[Any]]
"""A document's incidence: `entities` (ids, sorted), and for its chunks their `sizes` and, chunk after chunk, `members`
(places in `entities`), `pages` (where the chunk first mentions the member) and `sentences` (bits of those of the chunk
that mention it; absent where that is not known). Pairs are never kept."""
SENTENCES = 62
"""Of a chunk that are told apart; the last stands for all that follow."""
Spans = Mapping[str, Sequence[tuple[int, int]]]
"""Where the sentences of a chunk stand, by its id."""


def incidence_of(publication: Publication) -> dict[str, list[Any]]:
    """By the mentions; of an imported graph as it says, without what is no longer mentioned."""
    if publication.cooccurrence is None:
        return pack(publication.mentions, {chunk.id: list(sentence_spans(chunk.text)) for chunk in publication.chunks})
    mentioned = {mention.entity_id for mention in publication.mentions}
    groups = (
        replace(group, entity_ids=tuple(id for id in group.entity_ids if id in mentioned))
        for group in publication.cooccurrence
    )
    return pack_groups(group for group in groups if group.entity_ids)


def pack(mentions: Iterable[Mention], sentences: Spans | None = None) -> dict[str, list[Any]]:
    """Independent of the order of mentions. sentences: None where they do not count."""
    chunks: dict[str, dict[str, tuple[int, int]]] = {}
    bits: defaultdict[tuple[str, str], int] = defaultdict(int)
    for mention in mentions:
        members = chunks.setdefault(mention.chunk_id, {})
        first = (mention.start, mention.page)
        members[mention.entity_id] = min(members.get(mention.entity_id, first), first)
        if sentences is not None:
            bits[mention.chunk_id, mention.entity_id] |= 1 << _sentence(mention, sentences.get(mention.chunk_id, ()))
    packed = _packed([(id, chunks[chunk_id][id][1]) for id in sorted(chunks[chunk_id])] for chunk_id in sorted(chunks))
    told = [bits[chunk_id, id] for chunk_id in sorted(chunks) for id in sorted(chunks[chunk_id])]
    return packed | ({} if sentences is None else {"sentences": told})


def _sentence(mention: Mention, spans: Sequence[tuple[int, int]]) -> int:
    """The number of the one in which it begins."""
    return min(max(0, bisect_right(spans, mention.start, key=itemgetter(0)) - 1), SENTENCES - 1)


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
