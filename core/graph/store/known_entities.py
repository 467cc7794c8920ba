"""Cache of a base's entities in one version of its graph: what was read once is not read again."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import Connection

from core.graph.edits import Resolution
from core.graph.model import Entity
from core.graph.names.name_list import NameList, PinyinNames
from core.graph.store import entity_lookup
from core.graph.store.resolved import ResolvedEntities
from core.platform.language.pinyin import latin_letters

TEXTS = 256
"""Limit of cached texts: a question is searched for names up to eight times."""
ENTITIES = 5_000
CHUNKS = 2_000
MOST_READ_SO = 100
"""Limit of Chinese names found by their pinyin."""


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
    _names: NameList | None = None
    _pinyin: PinyinNames | None = None

    def names(self, connection: Connection) -> NameList:
        if self._names is None:
            self._names = self._entities.names.of(connection, self.base_id)
        return self._names

    def search(self, connection: Connection, query: str, type: str, limit: int) -> list[Entity]:
        """Entities by a part of a name; the query has at least one letter."""
        self.names(connection)
        found = self._found(query, type, limit)
        if found is None:
            self._pinyin = self._entities.pinyin.of(connection, self.base_id)
            found = self._found(query, type, limit) or []
        return _of_type(self.load(connection, found), type, limit)

    def searched(self, query: str, type: str, limit: int) -> list[Entity] | None:
        """The result of search() if nothing has to be read for it, else None."""
        found = self._found(query, type, limit)
        if found is None or any(id not in self._loaded for id in found):
            return None
        return _of_type([self._loaded[id] for id in found], type, limit)

    def _found(self, query: str, type: str, limit: int) -> list[str] | None:
        """Ids by their names, then those of the Chinese names that are read like the query."""
        wanted = entity_lookup.wanted(query)
        if self._names is None or not wanted:
            return None
        found = self._names.search(wanted, type, limit)
        if len(found) >= limit or not (letters := latin_letters(query)):
            return found
        if self._pinyin is None:
            return None
        return list(dict.fromkeys([*found, *self._pinyin.search(letters, MOST_READ_SO)]))

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


def _of_type(found: Sequence[Entity], type: str, limit: int) -> list[Entity]:
    return [entity for entity in found if type in ("", entity.type)][:limit]
