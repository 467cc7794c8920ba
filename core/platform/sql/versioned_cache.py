"""Caches data derived from a knowledge base in SQL, once per version of the base."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from typing import Any, Generic, TypeVar

from sqlalchemy import Connection, Select, bindparam, select

from core.platform.sql.schema import knowledge_bases

Derived = TypeVar("Derived")
KEPT = 4
"""Limit of the bases in memory."""
_THIS = knowledge_bases.c.id == bindparam("base")
OF_DOCUMENTS = select(knowledge_bases.c.created_at, knowledge_bases.c.index_version).where(_THIS)
"""Version that rises when a document changes, or its part of the graph."""
OF_GRAPH = select(knowledge_bases.c.created_at, knowledge_bases.c.index_version, knowledge_bases.c.graph_version).where(
    _THIS
)
"""Version that also rises with every edit of the graph."""


class VersionedCache(Generic[Derived]):
    def __init__(self, read: Callable[[Connection, str], Derived], version: Select[Any] = OF_DOCUMENTS) -> None:
        """`read` builds the value from a base's rows; for an unknown base it returns something empty."""
        self._read = read
        self._version = version
        self._lock = Lock()
        self._kept: OrderedDict[str, tuple[tuple[Any, ...], Derived]] = OrderedDict()

    def of(self, connection: Connection, base_id: str) -> Derived:
        """As of the connection's transaction."""
        version = connection.execute(self._version, {"base": base_id}).first()
        with self._lock:
            kept = self._kept.get(base_id)
        if kept and kept[0] == version:
            return kept[1]
        derived = self._read(connection, base_id)
        if version is not None:
            self._keep(base_id, version, derived)
        return derived

    def is_kept(self, connection: Connection, base_id: str) -> bool:
        """Whether of() would return without reading."""
        version = connection.execute(self._version, {"base": base_id}).first()
        with self._lock:
            kept = self._kept.get(base_id)
        return kept is not None and kept[0] == version

    def _keep(self, base_id: str, version: tuple[Any, ...], derived: Derived) -> None:
        with self._lock:
            self._kept[base_id] = (version, derived)
            self._kept.move_to_end(base_id)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
