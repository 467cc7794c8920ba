"""Derived co-occurrence: entities of one chunk are related, more strongly the fewer entities share it, and ten times as
strongly where a sentence names both."""

from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from core.graph.model import Relation
from core.graph.network.id_list import IdList
from core.graph.network.incidences import Incidence, Numbers, Packed

CO_OCCURS = "CO_OCCURS_IN"
"""The name of the derived relation."""
Weights = NDArray[np.float64]
Small: TypeAlias = "array[int]"
_FEW = 1_000
"""Limit of the entities that are looked up one by one; for more, a table of all is built."""
_APART = 0.1
"""Factor of the weight that a chunk gives a pair if none of its sentences names both."""
_EVERY = -1
"""Bits of an entity in unknown sentences: it is near all others."""
_LEAST = 1e-9
"""Weights below it are the rounding error of a difference."""


class Cooccurrence:
    """Every chunk's entities. A pair's weight is the sum of 1/(n-1) over the chunks it shares, n entities in each.

    Where no sentence of a chunk names both, a tenth of that counts.
    """

    def __init__(self, documents: Mapping[str, Packed] | Iterable[tuple[str, Packed]]) -> None:
        """documents: packed incidences by document id; an iterable is read one by one, to save memory."""
        met: dict[str, int] = {}
        """Numbers of entities, in the order in which the documents name them."""
        every = documents.items() if isinstance(documents, Mapping) else documents
        read = sorted(((id, *_read(packed, met)) for id, packed in every), key=lambda each: each[0])
        self.document_ids = IdList.of(id for id, *_ in read)
        sizes, members = _joined(each[1] for each in read), _joined(each[2] for each in read)
        ordered = sorted(met)
        self.entity_ids = IdList.of(ordered)
        place = np.empty(len(met), dtype=np.int64)
        place[[met[id] for id in ordered]] = np.arange(len(met))
        self.document_of_chunk = np.repeat(np.arange(len(read)), [len(each[1]) for each in read])
        chunk = np.repeat(np.arange(len(sizes)), sizes)
        sentences = np.concatenate([_numbers([]), *(each[4] for each in read)])
        self._take(chunk, place[members], _joined(each[3] for each in read), sentences)

    @classmethod
    def of(cls, kept: Incidence) -> "Cooccurrence":
        made = cls({})
        made.document_ids, made.entity_ids, made.document_of_chunk = kept[:3]
        made._take(*kept[3:])
        return made

    @property
    def incidence(self) -> Incidence:
        ids = self.document_ids, self.entity_ids
        return Incidence(*ids, self.document_of_chunk, self.chunk, self.entity, self.page, self.sentences)

    @cached_property
    def place(self) -> dict[str, int]:
        return dict(zip(self.entity_ids, range(len(self.entity_ids)), strict=True))

    def _take(self, chunk: Numbers, entity: Numbers, page: Numbers, sentences: Numbers) -> None:
        """Ordered by chunk, then by entity."""
        self.chunk, self.entity, self.page, self.sentences = chunk, entity, page, sentences
        sizes = np.bincount(chunk, minlength=len(self.document_of_chunk))
        self.chunk_weight = np.where(sizes > 1, 1 / np.maximum(sizes - 1, 1), 0.0)
        self._rejected: tuple[tuple[int, int, int], ...] = ()

    def resolved(
        self, shown_as: Callable[[str], str], rejected: Iterable[tuple[str, int, str, str]] = ()
    ) -> "Cooccurrence":
        """The same as if extraction had found the shown entities: shown_as gives the new id, empty if it is left out.

        rejected: (document id, place of the chunk among those of the document that mention something, entity, other
        entity): chunks that do not connect these two.
        """
        other = Cooccurrence({})
        other.document_ids, other.document_of_chunk = self.document_ids, self.document_of_chunk
        new_ids = [shown_as(id) for id in self.entity_ids]
        other.entity_ids = IdList.of(sorted({id for id in new_ids if id}))
        entity = _numbers([other.place.get(id, -1) for id in new_ids])[self.entity]
        kept = np.flatnonzero(entity >= 0)
        chunk, entity, page, sentences = self.chunk[kept], entity[kept], self.page[kept], self.sentences[kept]
        order = np.lexsort((page, entity, chunk))
        chunk, entity, page, sentences = chunk[order], entity[order], page[order], sentences[order]
        first = _starts_of_runs(chunk * max(1, len(other.entity_ids)) + entity)
        both = np.bitwise_or.reduceat(sentences, first) if len(first) else sentences
        other._take(chunk[first], entity[first], page[first], both)
        other._rejected = tuple(other._places_of_rejected(rejected))
        return other

    def _places_of_rejected(self, rejected: Iterable[tuple[str, int, str, str]]) -> Iterator[tuple[int, int, int]]:
        """(chunk, entity, other entity) of the rejections whose chunk mentions both."""
        for document_id, number, one, another in rejected:
            if document_id not in self.document_ids or one not in self.place or another not in self.place:
                continue
            at = int(np.searchsorted(self.document_of_chunk, self.document_ids.index(document_id))) + number
            inside = set(self.entity[np.searchsorted(self.chunk, at) : np.searchsorted(self.chunk, at + 1)].tolist())
            if {self.place[one], self.place[another]} <= inside:
                yield at, self.place[one], self.place[another]

    def ring(self, inner: Collection[str], seen: Collection[str]) -> dict[str, float]:
        """Entities one step from the inner ones that were not seen yet, with the sum of their weights to them."""
        is_inner = self._mask(inner)
        touching = np.flatnonzero(is_inner[self.entity])
        starts, ends = (np.searchsorted(self.chunk, self.chunk[touching], side) for side in ("left", "right"))
        sizes = ends - starts
        members = np.repeat(ends - np.cumsum(sizes), sizes) + np.arange(sizes.sum())
        reach = self._pair_weights(np.repeat(touching, sizes), members)
        weights = np.bincount(self.entity[members], weights=reach, minlength=len(self.entity_ids))
        for chunk, one, another in self._rejected:
            first, second = (self._place_in_chunk(chunk, entity) for entity in (one, another))
            weight = self._pair_weights(first, second)[0]
            weights[another] -= weight * is_inner[one]
            weights[one] -= weight * is_inner[another]
        weights[self._mask(seen)] = 0.0
        weights[weights < _LEAST] = 0.0
        found = np.flatnonzero(weights)
        return dict(zip(self.entity_ids.at(found), weights[found].tolist(), strict=True))

    def _place_in_chunk(self, chunk: int, entity: int) -> Numbers:
        start, end = np.searchsorted(self.chunk, [chunk, chunk + 1])
        found: Numbers = start + np.flatnonzero(self.entity[start:end] == entity)[:1]
        return found

    def _pair_weights(self, first: Numbers, second: Numbers) -> Weights:
        """Weights of pairs of mentions in the same chunk."""
        weights = self.chunk_weight[self.chunk[first]]
        return np.where(self._are_near(first, second), weights, weights * _APART)

    def _are_near(self, first: Numbers, second: Numbers) -> NDArray[np.bool_]:
        """Whether a sentence names both."""
        near: NDArray[np.bool_] = (self.sentences[first] & self.sentences[second]) != 0
        return near

    def degrees(self) -> dict[str, int]:
        """Number of chunks that each entity shares with others."""
        return dict(zip(self.entity_ids, self._degrees.tolist(), strict=True))

    def most_named(self, limit: int, also: Iterable[str]) -> dict[str, float]:
        """Number of sentences that name an entity: for the greatest `limit` or more, and for the given ones that are
        known. Among equals, those that are named on an earlier page are slightly ahead."""
        counts = self._named
        least = np.partition(counts, -limit)[-limit] if 0 < limit < len(counts) else 0
        greatest = np.flatnonzero(counts >= least)
        found = dict(zip(self.entity_ids.at(greatest), counts[greatest].tolist(), strict=True))
        return found | {id: float(counts[self.place[id]]) for id in also if id in self.place}

    @cached_property
    def _named(self) -> Weights:
        sentences = np.where(self.sentences == _EVERY, 1, np.bitwise_count(self.sentences))
        counts = np.bincount(self.entity, weights=sentences, minlength=len(self.entity_ids))
        first_page = np.full(len(self.entity_ids), np.iinfo(np.int64).max)
        np.minimum.at(first_page, self.entity, self.page)
        return np.where(self._degrees > 0, counts + 1 / (2 + np.maximum(first_page, 0)), 0.0)

    @cached_property
    def _degrees(self) -> Numbers:
        shared = self.chunk_weight[self.chunk] > 0
        return np.bincount(self.entity[shared], minlength=len(self.entity_ids))

    def relations(self, entity_ids: Collection[str]) -> list[Relation]:
        """Relations between the entities.

        One undirected relation per pair (source < target), with every supporting place.
        """
        return self._relations(np.flatnonzero(self._mask(entity_ids)[self.entity]))

    def relations_of(self, document_ids: Iterable[str]) -> Iterator[Relation]:
        """Relations that the chunks of the documents support, document by document."""
        for id in document_ids:
            document = self.document_ids.place(id)
            if document is not None:
                chunks = np.searchsorted(self.document_of_chunk, [document, document + 1])
                yield from self._relations(np.arange(*np.searchsorted(self.chunk, chunks)))

    def _relations(self, inside: Numbers) -> list[Relation]:
        """Relations between the given mentions."""
        first, second = self._connected(inside)
        keys = self._pair_keys(first, second)
        order = np.argsort(keys, kind="stable")
        first, second, keys = first[order], second[order], keys[order]
        starts = _starts_of_runs(keys)
        pair = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(keys)))
        weights = np.bincount(pair, weights=self._pair_weights(first, second), minlength=len(starts))
        near = np.bincount(pair, weights=self._are_near(first, second), minlength=len(starts)) > 0
        pages = np.maximum(self.page[first], self.page[second])
        places = self._places_of_pairs(pair, self.document_of_chunk[self.chunk[first]], pages, len(starts))
        sources, targets = (self.entity_ids.at(self.entity[end[starts]]) for end in (first, second))
        return [
            Relation(source, target, CO_OCCURS, weight, supporting, near=is_near)
            for source, target, weight, supporting, is_near in zip(
                sources, targets, weights.tolist(), places, near.tolist(), strict=True
            )
        ]

    @cached_property
    def pair_count(self) -> int:
        """Number of pairs that share a chunk."""
        return len(_starts_of_runs(np.sort(self._pair_keys(*self._connected(np.arange(len(self.chunk)))))))

    def pairs(self) -> tuple[Numbers, Numbers, Weights, NDArray[np.bool_]]:
        """Pairs that share a chunk: places in entity_ids, the lower first, weight, whether a sentence names both."""
        first, second = self._connected(np.arange(len(self.chunk)))
        keys, pair = np.unique(self._pair_keys(first, second), return_inverse=True)
        weights: Weights = np.bincount(pair, self._pair_weights(first, second), len(keys)).astype(float)
        near = np.bincount(pair, self._are_near(first, second), len(keys)) > 0
        count = max(1, len(self.entity_ids))
        return keys // count, keys % count, weights, near

    def _connected(self, inside: Numbers) -> tuple[Numbers, Numbers]:
        """Pairs of the given mentions that a chunk connects."""
        first, second = (inside[places] for places in _pairs(self.chunk[inside]))
        if self._rejected:
            entities, chunk = len(self.entity_ids), self.chunk[first]
            keys = (chunk * entities + self.entity[first]) * entities + self.entity[second]
            dropped = [(at * entities + min(ends)) * entities + max(ends) for at, *ends in self._rejected]
            kept = ~np.isin(keys, _numbers(dropped))
            first, second = first[kept], second[kept]
        return first, second

    def _pair_keys(self, first: Numbers, second: Numbers) -> Numbers:
        return self.entity[first] * len(self.entity_ids) + self.entity[second]

    def _places_of_pairs(
        self, pair: Numbers, document: Numbers, page: Numbers, count: int
    ) -> list[tuple[tuple[str, int], ...]]:
        """(document id, page) of each pair, sorted, no repeats."""
        documents, pages = len(self.document_ids), int(page.max(initial=0)) + 1
        keys = np.sort((pair * documents + document) * pages + page)
        different = keys[_starts_of_runs(keys)]
        ids = self.document_ids.at(different // pages % documents)
        places = list(zip(ids, (different % pages).tolist(), strict=True))
        ends = np.searchsorted(different, np.arange(1, count + 1) * documents * pages).tolist()
        return [tuple(places[start:end]) for start, end in zip([0, *ends], ends, strict=False)]

    def _mask(self, entity_ids: Collection[str]) -> NDArray[np.bool_]:
        mask = np.zeros(len(self.entity_ids), dtype=np.bool_)
        mask[_numbers(list(self._places(entity_ids)))] = True
        return mask

    def _places(self, entity_ids: Collection[str]) -> Iterator[int]:
        """Places of the known ones."""
        if len(entity_ids) > _FEW:
            yield from (self.place[id] for id in entity_ids if id in self.place)
            return
        for id in entity_ids:
            at = self.entity_ids.place(id)
            if at is not None:
                yield at


def _read(packed: Packed, met: dict[str, int]) -> tuple[Small, Small, Small, Numbers]:
    """Sizes, members as numbers of entities met so far, pages, and sentences."""
    numbers = [met.setdefault(id, len(met)) for id in packed["entities"]]
    members = array("i", [numbers[place] for place in packed["members"]])
    sentences = _numbers(packed.get("sentences") or [_EVERY] * len(members))
    return array("i", packed["sizes"]), members, array("i", packed["pages"]), sentences


def _pairs(groups: Numbers) -> tuple[Numbers, Numbers]:
    """Places of all pairs of equal numbers in a sorted array, the earlier place first."""
    starts = _starts_of_runs(groups)
    sizes = np.diff(starts, append=len(groups))
    first, second = [_numbers([])], [_numbers([])]
    for size in sorted(set(sizes.tolist()) - {1}):
        left, right = np.triu_indices(size, k=1)
        start = starts[sizes == size][:, None]
        first.append((start + left).ravel())
        second.append((start + right).ravel())
    return np.concatenate(first), np.concatenate(second)


def _starts_of_runs(values: Numbers) -> Numbers:
    """Where in a sorted array another number begins."""
    return np.flatnonzero(np.diff(values, prepend=-1))


def _joined(arrays: Iterable[Small]) -> Numbers:
    every = array("i")
    for each in arrays:
        every += each
    return _numbers(every)


def _numbers(values: "Sequence[int] | Numbers | Small") -> Numbers:
    return np.asarray(values, dtype=np.int64)
