"""Which entities of a document share which of its chunks, packed as it is stored with the document."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
"""Limit of the sentences of a chunk that are distinguished; the last represents all that follow."""
Spans = Mapping[str, Sequence[tuple[int, int]]]
"""Spans of the sentences of a chunk, by its id."""


def incidence_of(publication: Publication) -> dict[str, list[Any]]:
    """Incidence by the mentions; of an imported graph by its groups, without entities that are no longer mentioned."""
    if publication.cooccurrence is None:
        return pack(publication.mentions, {chunk.id: list(sentence_spans(chunk.text)) for chunk in publication.chunks})
    mentioned = {mention.entity_id for mention in publication.mentions}
    groups = ((group.page, [id for id in group.entity_ids if id in mentioned]) for group in publication.cooccurrence)
    return _packed([(id, page) for id in ids] for page, ids in groups if ids)  # each like a chunk that mentions them


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
    packed_bits = [bits[chunk_id, id] for chunk_id in sorted(chunks) for id in sorted(chunks[chunk_id])]
    return packed | ({} if sentences is None else {"sentences": packed_bits})


def _sentence(mention: Mention, spans: Sequence[tuple[int, int]]) -> int:
    """Number of the sentence in which it begins."""
    return min(max(0, bisect_right(spans, mention.start, key=itemgetter(0)) - 1), SENTENCES - 1)


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
