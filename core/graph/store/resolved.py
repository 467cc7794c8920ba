"""Resolved entities: those of the documents with the users' edits applied."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, Select, bindparam, func, literal, select

from core.graph.edits import Resolution
from core.graph.model import Entity
from core.graph.names.name_list import NameList, PinyinNames
from core.graph.resolution.resolution import NOTHING, combined
from core.graph.store import entity_lookup
from core.graph.store.graph_edits import edited_bases, read_resolution
from core.platform.language.pinyin import latin_letters
from core.platform.sql.columns import name_key
from core.platform.sql.engine import ASKED, rows_of
from core.platform.sql.schema import chunks, documents, entities, mentions
from core.platform.sql.versioned_cache import OF_GRAPH, VersionedCache

_BASES = select(entities.c.base_id).where(entities.c.id.in_(ASKED)).distinct()
_BASES_OF_CHUNKS = (
    select(documents.c.base_id)
    .join(chunks, chunks.c.document_id == documents.c.id)
    .where(chunks.c.id.in_(ASKED))
    .distinct()
)
_DOCUMENTS = select(mentions.c.entity_id, mentions.c.document_id).where(mentions.c.entity_id.in_(ASKED)).distinct()
_ROWS = (
    select(entities.c.id, entities.c.type, entities.c.mentions)
    .where(entities.c.base_id == bindparam("base"))
    .order_by(*entity_lookup.USUAL)
)
TEXTS = 256
"""Limit of cached texts: a question is searched for names up to eight times."""
ENTITIES = 5_000
CHUNKS = 2_000
MOST_READ_SO = 100
"""Limit of Chinese names found by their pinyin."""


class ResolvedEntities:
    def __init__(self) -> None:
        self._resolutions = VersionedCache(read_resolution, OF_GRAPH)
        self.names = VersionedCache(self._read_names, OF_GRAPH)
        self.shown_names = VersionedCache(self._read_shown_names, OF_GRAPH)
        self.pinyin = VersionedCache(
            lambda connection, base_id: PinyinNames(self.shown_names.of(connection, base_id)), OF_GRAPH
        )

    def resolution(self, connection: Connection, base_id: str) -> Resolution:
        return self._resolutions.of(connection, base_id) if base_id in edited_bases(connection) else NOTHING

    def resolution_of(self, connection: Connection, entity_ids: Collection[str]) -> Resolution:
        """Resolution of the bases that the entities belong to."""
        return self._of_bases(connection, _BASES, entity_ids)

    def resolution_of_chunks(self, connection: Connection, chunk_ids: Collection[str]) -> Resolution:
        return self._of_bases(connection, _BASES_OF_CHUNKS, chunk_ids)

    def _of_bases(self, connection: Connection, bases: Select[Any], ids: Collection[str]) -> Resolution:
        edited = edited_bases(connection)
        if not edited:
            return NOTHING
        found = {base_id for (base_id,) in rows_of(connection, bases, ids)}
        return combined([self._resolutions.of(connection, base_id) for base_id in edited if base_id in found])

    def load(self, connection: Connection, entity_ids: Sequence[str], resolution: Resolution) -> list[Entity]:
        """Entities as they are shown, each once, in the given order; unknown and removed ones are left out."""
        if not resolution.changes_entities:
            return entity_lookup.load(connection, entity_ids)
        shown = list(dict.fromkeys(id for each in entity_ids if (id := resolution.of(each))))
        parts = [part for id in shown for part in resolution.members(id)]
        found = {entity.id: entity for entity in entity_lookup.load(connection, parts)}
        merged = [part for id in shown if len(members := resolution.members(id)) > 1 for part in members]
        spread = documents_of(connection, dict(zip(merged, merged, strict=True)))
        return [joined_entity(resolution, id, found, spread) for id in shown if id in found]

    def every(
        self, connection: Connection, base_id: str, resolution: Resolution, limit: int | None = None
    ) -> list[Entity]:
        """The most mentioned first."""
        touched = resolution.touched
        found = entity_lookup.load_all(connection, base_id, None if limit is None else limit + len(touched))
        if resolution.changes_entities:
            changed = self.load(connection, sorted(touched), resolution)
            found = [*(entity for entity in found if entity.id not in touched), *changed]
        return sorted(found, key=lambda entity: (-entity.mentions, entity.name, entity.id))[:limit]

    def most_mentioned(
        self, connection: Connection, base_id: str, type: str, limit: int, resolution: Resolution
    ) -> list[str]:
        touched = resolution.touched
        order = entity_lookup.most_mentioned(connection, base_id, type, limit + len(touched))
        if not touched:
            return order
        untouched = self.load(connection, [id for id in order if id not in touched], NOTHING)
        changed = [e for e in self.load(connection, sorted(touched), resolution) if not type or e.type == type]
        ranked = sorted([*untouched, *changed], key=lambda entity: (-entity.mentions, entity.name, entity.id))
        return [entity.id for entity in ranked[:limit]]

    def named_in(self, connection: Connection, base_id: str, text: str, resolution: Resolution) -> list[str]:
        given: dict[str, list[str]] = {}
        for id, names in _given_names(resolution).items():
            for name in names:
                given.setdefault(name_key(name), []).append(id)
        found = entity_lookup.named_in(connection, base_id, text, given)
        return list(dict.fromkeys(id for each in found if (id := resolution.of(each))))

    def type_counts(self, connection: Connection, base_id: str) -> dict[str, tuple[int, int]]:
        """Numbers of entities and of their mentions, by type.

        Counts of the documents, corrected by the entities that edits change.
        """
        resolution = self.resolution(connection, base_id)
        counts = _found_counts(connection, base_id)
        if not resolution.changes_entities:
            return counts
        touched = sorted(resolution.touched)
        before = [(each, -1) for each in self.load(connection, touched, NOTHING)]
        after = [(each, 1) for each in self.load(connection, touched, resolution)]
        for entity, sign in [*before, *after]:
            number, mentioned = counts.get(entity.type, (0, 0))
            counts[entity.type] = (number + sign, mentioned + sign * entity.mentions)
        return {type: count for type, count in counts.items() if count[0]}

    def _read_names(self, connection: Connection, base_id: str) -> NameList:
        """Most mentioned first. 100,000 names take about 20 MB; a join in SQL would take twice as long."""
        resolution = self.resolution(connection, base_id)
        norms = entity_lookup.read_norms(connection, base_id)
        for id, given in _given_names(resolution).items():
            norms[id] = (*norms.get(id, ()), *map(name_key, given))
        types: dict[str, str] = {}
        counts: dict[str, int] = {}
        for id, type, number in connection.execute(_ROWS, {"base": base_id}).tuples().yield_per(entity_lookup.ROWS):
            if shown := resolution.of(id):
                counts[shown] = counts.get(shown, 0) + number
                if shown == id:
                    types[id] = resolution.types.get(id, type)
        order = sorted(types, key=counts.__getitem__, reverse=True)
        return NameList(
            (id, types[id], name) for id in order for part in resolution.members(id) for name in norms.get(part, ())
        )

    def _read_shown_names(self, connection: Connection, base_id: str) -> list[tuple[str, str]]:
        """(id, name as it is displayed) of the most mentioned."""
        resolution = self.resolution(connection, base_id)
        found = entity_lookup.read_shown_names(connection, base_id)
        return [(id, resolution.names.get(id, name)) for id, name in found if resolution.of(id) == id]


def _found_counts(connection: Connection, base_id: str) -> dict[str, tuple[int, int]]:
    grouped = select(entities.c.type, func.count(), func.sum(entities.c.mentions)).group_by(entities.c.type)
    rows = connection.execute(grouped.where(entities.c.base_id == base_id)).tuples()
    return {type: (number, mentioned) for type, number, mentioned in rows}


def members_of(resolution: Resolution, entity_ids: Iterable[str]) -> dict[str, str]:
    """The entities of the documents that those given consist of, each with the one that it is part of."""
    return {part: id for each in entity_ids if (id := resolution.of(each)) for part in resolution.members(id)}


def chunk_counts(connection: Connection, shown_as: Mapping[str, str], unused: bool = False) -> list[tuple[str, int]]:
    """(chunk, number of the shown entities in it), most first, then by mentions. unused: not only enabled chunks."""
    found: dict[str, dict[str, int]] = {}
    statement = (
        select(mentions.c.chunk_id, mentions.c.entity_id, func.count())
        .join(chunks, chunks.c.id == mentions.c.chunk_id)
        .where(mentions.c.entity_id.in_(ASKED), chunks.c.enabled | literal(unused))
        .group_by(mentions.c.chunk_id, mentions.c.entity_id)
    )
    for chunk_id, entity_id, times in rows_of(connection, statement, shown_as):
        inside = found.setdefault(chunk_id, {})
        inside[shown_as[entity_id]] = inside.get(shown_as[entity_id], 0) + times
    order = sorted(found, key=lambda id: (-len(found[id]), -sum(found[id].values()), id))
    return [(chunk_id, len(found[chunk_id])) for chunk_id in order]


def shared_by_merged(
    connection: Connection, resolution: Resolution, chunk_ids: Sequence[str], most_mentions: int
) -> list[tuple[str, str, str]]:
    """(merged entity, chunk that mentions it, enabled chunk that does); not for entities in too many chunks."""
    named = select(mentions.c.entity_id).where(mentions.c.chunk_id.in_(ASKED)).distinct()
    merged = {resolution.of(id) for (id,) in rows_of(connection, named, chunk_ids)}
    shown_as = members_of(resolution, sorted(merged & resolution.parts.keys()))
    held: dict[str, set[str]] = {}
    statement = (
        select(mentions.c.entity_id, mentions.c.chunk_id)
        .join(chunks, chunks.c.id == mentions.c.chunk_id)
        .where(mentions.c.entity_id.in_(ASKED), chunks.c.enabled)
    )
    for entity_id, chunk_id in rows_of(connection, statement, shown_as):
        held.setdefault(shown_as[entity_id], set()).add(chunk_id)
    asked = set(chunk_ids)
    rare = {id: inside for id, inside in held.items() if len(inside) <= most_mentions}
    return [(id, chunk_id, other) for id, inside in rare.items() for chunk_id in inside & asked for other in inside]


def _given_names(resolution: Resolution) -> dict[str, tuple[str, ...]]:
    """Names that people gave to entities, by id."""
    given = {id: (name,) for id, name in resolution.names.items()}
    return given | {id: (*given.get(id, ()), *names) for id, names in resolution.aliases.items()}


def documents_of(connection: Connection, shown_as: Mapping[str, str]) -> dict[str, set[str]]:
    """Ids of the documents that mention them, by the shown entity."""
    found: dict[str, set[str]] = {}
    for entity_id, document_id in rows_of(connection, _DOCUMENTS, shown_as):
        found.setdefault(shown_as[entity_id], set()).add(document_id)
    return found


def joined_entity(
    resolution: Resolution, id: str, found: Mapping[str, Entity], spread: Mapping[str, set[str]]
) -> Entity:
    """spread: the documents that mention each part of a merged entity."""
    own = found[id]
    parts = [found[part] for part in resolution.members(id) if part in found]
    name = resolution.names.get(id, own.name)
    names = [every for part in parts for every in (part.name, *part.aliases)] + [*resolution.aliases.get(id, ())]
    spellings = {name_key(each): each for each in reversed(names)}
    spellings.pop(name_key(name), None)
    number = len(set().union(*(spread.get(part.id, ()) for part in parts))) if len(parts) > 1 else own.documents
    return replace(
        own,
        name=name,
        type=resolution.types.get(id, own.type),
        aliases=tuple(sorted(spellings.values())),
        mentions=sum(part.mentions for part in parts),
        documents=number,
    )


@dataclass(slots=True)
class KnownEntities:
    base_id: str
    resolution: Resolution
    _entities: ResolvedEntities
    _named: dict[str, list[str]] = field(default_factory=dict)
    """Ids of the entities that a text names."""
    _most_mentioned: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    """Ids by type and number."""
    _loaded: dict[str, Entity] = field(default_factory=dict)
    by_chunk: dict[str, list[str]] = field(default_factory=dict)
    """Ids of the entities that chunks mention, in the order of their first mention."""

    def search(self, connection: Connection, query: str, type: str, limit: int) -> list[Entity]:
        """Entities by a part of a name, then those whose Chinese names are read like it; it has at least one letter."""
        found = self._entities.names.of(connection, self.base_id).search(entity_lookup.wanted(query), type, limit)
        if len(found) < limit and (letters := latin_letters(query)):
            read_so = self._entities.pinyin.of(connection, self.base_id).search(letters, MOST_READ_SO)
            found = list(dict.fromkeys([*found, *read_so]))
        return [entity for entity in self.load(connection, found) if type in ("", entity.type)][:limit]

    def named_in(self, connection: Connection, text: str) -> list[str]:
        """Ids, the longest names first."""
        found = self._named.get(text)
        if found is None:
            found = self._entities.named_in(connection, self.base_id, text, self.resolution)
            if len(self._named) >= TEXTS:
                self._named = {}
            self._named[text] = found
        return [*found]

    def most_mentioned(self, connection: Connection, type: str, limit: int) -> list[str]:
        """Ids of entities that are shown; of every type where none is given."""
        found = self._most_mentioned.get((type, limit))
        if found is None:
            found = self._entities.most_mentioned(connection, self.base_id, type, limit, self.resolution)
            if len(self._most_mentioned) >= TEXTS:
                self._most_mentioned = {}
            self._most_mentioned[type, limit] = found
        return found

    def with_chunks(self, read: dict[str, list[str]]) -> dict[str, list[str]]:
        """The known entities of chunks, with those that were just read."""
        known = self.by_chunk | read
        self.by_chunk = known if len(known) <= CHUNKS else {}
        return known

    def load(self, connection: Connection, shown: Sequence[str]) -> list[Entity]:
        """Shown entities in the given order; unknown ones are left out."""
        known = self._loaded
        if missing := [id for id in shown if id not in known]:
            known = known | {each.id: each for each in self._entities.load(connection, missing, self.resolution)}
            self._loaded = known if len(known) <= ENTITIES else {}
        return [known[id] for id in shown if id in known]
