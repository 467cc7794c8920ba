"""What ready documents are called, written as terms: looked up by name, without reading every row for a question."""

from collections.abc import Collection
from pathlib import PurePath

from sqlalchemy import Connection, select

from core.platform.language.terms import terms
from core.platform.sql.schema import documents
from core.platform.sql.versioned_cache import VersionedCache

_Named = dict[str, tuple[tuple[int, str], ...]]
"""By name: position among the ready documents of the base, and id."""


class DocumentNames:
    """Read once a version of the base; of a new version only new names are taken apart."""

    def __init__(self) -> None:
        self._cache = VersionedCache(self._read)
        self._known: dict[tuple[str, str], tuple[str, ...]] = {}

    def of(self, connection: Connection, base_id: str, names: Collection[str]) -> tuple[str, ...]:
        """Ids of the documents with one of the names, in the order they were added."""
        named = self._cache.of(connection, base_id)
        found = {place for name in names for place in named.get(name, ())}
        return tuple(document_id for _, document_id in sorted(found))

    def _read(self, connection: Connection, base_id: str) -> _Named:
        statement = select(documents.c.id, documents.c.title, documents.c.name)
        statement = statement.where(documents.c.base_id == base_id, documents.c.ready_at.is_not(None))
        statement = statement.order_by(documents.c.added_at, documents.c.name, documents.c.id)
        named: _Named = {}
        known = self._known
        current: dict[tuple[str, str], tuple[str, ...]] = {}
        for position, (document_id, title, name) in enumerate(connection.execute(statement).tuples()):
            words = current[title, name] = known.get((title, name)) or _names(title, name)
            for each in words:
                named[each] = (*named.get(each, ()), (position, document_id))
        self._known = current
        return named


def _names(title: str, name: str) -> tuple[str, ...]:
    stem = PurePath(name.replace("\\", "/")).stem.replace("_", " ").replace("-", " ")
    return tuple(dict.fromkeys(" ".join(terms(words)) for words in (title, stem) if words))
