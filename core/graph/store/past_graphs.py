"""The graph as it was: a database in memory with the documents and edits of that time, read like the present one."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import Any
from uuid import uuid4

from sqlalchemy import Connection, Engine, create_engine, func, insert, select, union, update
from sqlalchemy.pool import QueuePool

from core.documents.model import Document
from core.documents.ports.publishing import Publication
from core.documents.store import publishing
from core.documents.store.library import sql_library
from core.graph.ports import PastGraph
from core.graph.resolution.resolution import documents_at, in_force
from core.graph.store import entity_names as naming
from core.graph.store import graph_events
from core.graph.store.drawings import SqlCommunities, SqlWholeGraphs
from core.graph.store.graph import SqlGraph
from core.graph.store.graph_edits import SqlGraphEdits, to_logged
from core.platform.errors import InputError, NotFoundError
from core.platform.sql.columns import to_json
from core.platform.sql.compiled_statements import insert_all
from core.platform.sql.engine import ASKED, batches, reading, rows_of
from core.platform.sql.schema import (
    METADATA,
    chunks,
    documents,
    entities,
    entity_names,
    graph_edits,
    incidences,
    knowledge_bases,
    mentions,
    relations,
)
from core.platform.sql.versioned_cache import OF_GRAPH

KEPT = 3
"""Limit of cached graphs: the day that is looked at, and the two ends of a comparison."""
MOST_MENTIONS = 400_000
"""Limit of mentions; copying so many takes about ten seconds."""
_COPIED = (chunks, entity_names, mentions, incidences, relations)
Removed = Callable[[str], tuple[Document, Publication] | None]


class SqlPastGraphs:
    def __init__(self, engine: Engine, layouts: Path, removed: Removed) -> None:
        """layouts: folder of the layouts of present graphs; removed: reads a deleted document that can be restored."""
        self._engine = engine
        self._layouts = layouts
        self._removed = removed
        self._kept: OrderedDict[tuple[Any, ...], PastGraph] = OrderedDict()
        self._lock = Lock()

    def as_of(self, base_id: str, moment: datetime) -> PastGraph:
        with self._lock, reading(self._engine) as source:
            version = source.execute(OF_GRAPH, {"base": base_id}).tuples().first()
            if version is None:
                raise NotFoundError("storage.base_gone")
            key = (base_id, moment, *version)
            self._forget(lambda other: other[0] == base_id and other[2:] != key[2:])
            if key not in self._kept:
                self._forget(lambda other: other == next(iter(self._kept)), keep=KEPT - 1)
                self._kept[key] = self._made(source, base_id, moment)
            self._kept.move_to_end(key)
            return self._kept[key]

    def _forget(self, unwanted: Callable[[tuple[Any, ...]], bool], keep: int = 0) -> None:
        """Drops graphs of an older version, or the least recently used ones; who still reads one keeps it open."""
        for key in [each for each in self._kept if unwanted(each)]:
            if len(self._kept) > keep:
                del self._kept[key]

    def _made(self, source: Connection, base_id: str, moment: datetime) -> PastGraph:
        there = documents_at(graph_events.read(source, base_id), moment)
        present = [row["id"] for row in _rows(source, documents, documents.c.id, list(there))]
        _check_size(source, present)
        engine = _in_memory()
        METADATA.create_all(engine)
        lost = {id: name for id, name in there.items() if id not in present}
        restored = [found for id in lost if (found := self._removed(id))]
        with engine.begin() as target:
            _copy_base(source, target, base_id, moment)
            _copy_documents(source, target, present)
            for document, publication in restored:
                publishing.restore(target, document, publication, moment)
        missing = [lost[id] for id in lost if id not in {document.id for document, _ in restored}]
        graph = SqlGraph(engine)
        whole = SqlWholeGraphs(graph, self._layouts, keeps=False)
        library = sql_library(engine)
        communities = SqlCommunities(graph, library.passages)
        return PastGraph(graph, whole, communities, SqlGraphEdits(engine), library, tuple(sorted(missing)))


def _in_memory() -> Engine:
    """Lives as long as one of its connections, the first of which is never given back."""
    address = f"sqlite:///file:{uuid4().hex}?mode=memory&cache=shared&uri=true"
    engine = create_engine(
        address,
        poolclass=QueuePool,
        pool_size=8,
        max_overflow=-1,
        json_serializer=to_json,
        connect_args={"check_same_thread": False},
    )
    engine.connect()
    return engine


def _check_size(source: Connection, document_ids: Sequence[str]) -> None:
    counted = select(func.count()).select_from(mentions).where(mentions.c.document_id.in_(ASKED))
    number = sum(count for (count,) in rows_of(source, counted, document_ids))
    if number > MOST_MENTIONS:
        raise InputError("kg.past_too_large", limit=f"{MOST_MENTIONS:,}")


def _rows(source: Connection, table: Any, column: Any, values: Sequence[str]) -> list[dict[str, Any]]:
    return [dict(row._mapping) for row in rows_of(source, select(table).where(column.in_(ASKED)), values)]


def _copy_base(source: Connection, target: Connection, base_id: str, moment: datetime) -> None:
    """The base with its edits, those in force at the moment, and the others as undone."""
    base = source.execute(select(knowledge_bases).where(knowledge_bases.c.id == base_id)).mappings().one()
    target.execute(insert(knowledge_bases).values(**base))
    rows = list(source.execute(select(graph_edits).where(graph_edits.c.base_id == base_id)).mappings())
    valid = in_force([to_logged(row) for row in rows], graph_events.read(source, base_id), moment)
    known = [{**row, "undone": int(row["position"] not in valid)} for row in rows if row["made_at"] < moment]
    insert_all(target, graph_edits, known)


def _copy_documents(source: Connection, target: Connection, document_ids: Sequence[str]) -> None:
    insert_all(target, documents, _rows(source, documents, documents.c.id, document_ids))
    used: list[str] = []
    for batch in batches(document_ids):
        named = [select(column).where(column.table.c.document_id.in_(batch)) for column in _ENDS]
        used += source.execute(union(*named)).scalars()
    insert_all(target, entities, _rows(source, entities, entities.c.id, list(dict.fromkeys(used))))
    for table in _COPIED:
        insert_all(target, table, _rows(source, table, table.c.document_id, document_ids))
    own = mentions.c.entity_id == entities.c.id
    counted = select(func.count()).where(own).scalar_subquery()
    spread = select(func.count(mentions.c.document_id.distinct())).where(own).scalar_subquery()
    target.execute(update(entities).values(mentions=counted, documents=spread))
    naming.settle(target, dict.fromkeys(used, ()))


_ENDS = (mentions.c.entity_id, relations.c.source_id, relations.c.target_id)
