"""What communities are about, kept until the graph or its documents change."""

from collections.abc import Sequence

from sqlalchemy import Connection

from core.graph.model import Entity, Told
from core.graph.network.community_summary import telling_sentences
from core.graph.store.graph import SqlGraph
from core.platform.sql.engine import reading
from core.platform.sql.versioned_cache import OF_GRAPH, VersionedCache
from core.search.ports import Passages

MOST_KEPT = 200
"""Communities of a base."""
_Kept = dict[tuple[str, ...], tuple[Told, ...]]


class SqlCommunities:
    def __init__(self, graph: SqlGraph, passages: Passages) -> None:
        self._graph = graph
        self._passages = passages
        self._kept = VersionedCache(_nothing, OF_GRAPH)

    def told(self, base_id: str, members: Sequence[Entity]) -> tuple[Told, ...]:
        with reading(self._graph.engine) as connection:
            kept = self._kept.of(connection, base_id)
        asked = tuple(entity.id for entity in members)
        if asked not in kept:
            if len(kept) >= MOST_KEPT:
                kept.clear()
            kept[asked] = telling_sentences(self._graph, self._passages, members)
        return kept[asked]


def _nothing(_connection: Connection, _base_id: str) -> _Kept:
    return {}
