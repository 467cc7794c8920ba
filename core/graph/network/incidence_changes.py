"""Co-occurrence after a few documents changed, made of what it was before instead of from every document."""

from bisect import bisect_left
from collections.abc import Collection

import numpy as np

from core.graph.network.cooccurrence import Incidence, Numbers
from core.graph.network.id_list import IdList


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
    """The documents and what they alone mention left out."""
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
    """The new place of each that stays."""
    return np.cumsum(stays) - 1


def _merged(own: IdList, new: IdList) -> tuple[IdList, Numbers, Numbers]:
    """Two sorted lists as one without repeats, and the places of the first and of the second in it."""
    added = [id for id in new if own.place(id) is None]
    before = np.asarray([bisect_left(own, id) for id in added], dtype=np.int64)
    merged = IdList(np.sort(np.concatenate((own.signs, IdList.of(added).signs)), kind="stable"))
    places = np.arange(len(own))
    places += np.searchsorted(before, places, side="right")
    return merged, places, np.asarray([bisect_left(merged, id) for id in new], dtype=np.int64)
