"""Which entities share which chunks: packed as it is stored with a document, and as arrays of all documents."""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from core.documents.model import CELL_BREAK
from core.documents.ports.publishing import Publication
from core.graph.model import CooccurrenceGroup, Mention
from core.platform.language.sentences import row_spans

Signs: TypeAlias = "NDArray[np.bytes_]"


class IdList(Sequence[str]):
    def __init__(self, signs: Signs) -> None:
        """signs: of UTF-8, the ids filled up to the length of the longest."""
        self.signs = signs

    @classmethod
    def of(cls, ids: Iterable[str]) -> "IdList":
        signs: Signs = np.array([id.encode() for id in ids], dtype=np.bytes_)
        return cls(signs)

    def __len__(self) -> int:
        return len(self.signs)

    def __iter__(self) -> Iterator[str]:
        return map(bytes.decode, self.signs.tolist())

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> "IdList": ...
    def __getitem__(self, at: int | slice) -> "str | IdList":
        return IdList(self.signs[at]) if isinstance(at, slice) else self.signs[at].decode()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IdList) and np.array_equal(self.signs, other.signs)

    __hash__ = None  # type: ignore[assignment]

    def at(self, places: "NDArray[np.int64]") -> "IdList":
        return IdList(self.signs[places])

    def place(self, wanted: str) -> int | None:
        """Place of an id in a sorted list; None if it is not in it."""
        signs = wanted.encode()
        at = bisect_left(self.signs, signs)
        return at if at < len(self) and self.signs[at] == signs else None


Packed = Mapping[str, Sequence[Any]]
"""A document's incidence: `entities` (ids, sorted), and for its chunks their `sizes` and, chunk after chunk, `members`
(places in `entities`), `pages` (where the chunk first mentions the member) and `sentences` (bits of those of the chunk
that mention it; absent where that is not known). Pairs are never kept."""
SENTENCES = 62
"""Limit of the sentences of a chunk that are distinguished; the last represents all that follow."""
Spans = Mapping[str, Sequence[tuple[int, int]]]
"""Spans of the sentences of a chunk, by its id."""
Numbers = NDArray[np.int64]


class Incidence(NamedTuple):
    """The arrays of a Cooccurrence, in the form of its cache file."""

    document_ids: IdList
    entity_ids: IdList
    document_of_chunk: Numbers
    chunk: Numbers
    entity: Numbers
    page: Numbers
    sentences: Numbers
    """Bits: which sentences of the chunk mention the entity."""


def incidence_of(publication: Publication) -> dict[str, list[Any]]:
    """Incidence by the mentions; of an imported graph by its groups, without entities that are no longer mentioned."""
    if publication.cooccurrence is None:
        spans = {chunk.id: list(row_spans(chunk.text, CELL_BREAK)) for chunk in publication.chunks}
        return pack(publication.mentions, spans)
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


def with_changes(before: Incidence, changed: Collection[str], now: Incidence) -> Incidence:
    """changed: documents that are gone or others now; now: of those of them that are there. As if read as a whole."""
    rest = _without(before, changed)
    documents, own_documents, new_documents = _merged(rest.document_ids, now.document_ids)
    entities, own_entities, new_entities = _merged(rest.entity_ids, now.entity_ids)
    document_of_chunk = np.concatenate((own_documents[rest.document_of_chunk], new_documents[now.document_of_chunk]))
    order = np.argsort(document_of_chunk, kind="stable")
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    chunk = number[np.concatenate((rest.chunk, now.chunk + len(rest.document_of_chunk)))]
    entity = np.concatenate((own_entities[rest.entity], new_entities[now.entity]))
    own = chunk, entity, *(np.concatenate(each) for each in ((rest.page, now.page), (rest.sentences, now.sentences)))
    by_chunk = np.argsort(chunk, kind="stable")
    return Incidence(documents, entities, document_of_chunk[order], *(each[by_chunk] for each in own))


def _without(before: Incidence, changed: Collection[str]) -> Incidence:
    """The incidence without these documents and without entities that only they mention."""
    gone = [place for id in changed if (place := before.document_ids.place(id)) is not None]
    if not gone:
        return before
    stays = np.ones(len(before.document_ids), dtype=np.bool_)
    stays[gone] = False
    chunk_stays = stays[before.document_of_chunk]
    kept = chunk_stays[before.chunk]
    entity = before.entity[kept]
    mentioned = np.bincount(entity, minlength=len(before.entity_ids)) > 0
    return Incidence(
        before.document_ids.at(np.flatnonzero(stays)),
        before.entity_ids.at(np.flatnonzero(mentioned)),
        _renumbered(stays)[before.document_of_chunk[chunk_stays]],
        _renumbered(chunk_stays)[before.chunk[kept]],
        _renumbered(mentioned)[entity],
        before.page[kept],
        before.sentences[kept],
    )


def _renumbered(stays: "np.ndarray[tuple[int, ...], np.dtype[np.bool_]]") -> Numbers:
    """New place of each item that stays."""
    return np.cumsum(stays) - 1


def _merged(own: IdList, new: IdList) -> tuple[IdList, Numbers, Numbers]:
    """Two sorted lists as one without repeats, and the places of the first and of the second in it."""
    added = [id for id in new if own.place(id) is None]
    before = np.asarray([bisect_left(own, id) for id in added], dtype=np.int64)
    merged = IdList(np.sort(np.concatenate((own.signs, IdList.of(added).signs)), kind="stable"))
    places = np.arange(len(own))
    places += np.searchsorted(before, places, side="right")
    return merged, places, np.asarray([bisect_left(merged, id) for id in new], dtype=np.int64)
