"""Whole graphs, kept in memory for a version of a base; their layouts are kept in files that can be made again."""

import threading
from functools import partial
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from sqlalchemy import Connection, select

from core.adapters.sql.engine import reading
from core.adapters.sql.graph import SqlGraph
from core.adapters.sql.schema import entities
from core.adapters.sql.versioned_cache import OF_GRAPH, VersionedCache
from core.atomic_file import write_replaceable
from core.domain.people import on_behalf
from core.domain.whole_graph import WholeGraph
from core.errors import AppError
from core.kg.whole import MOST_ENTITIES, Places, whole_graph

READ = 0.25
"""Share of the work that is done when everything is read."""
_FORM = 1
"""Raised when layouts of earlier versions are not to be continued."""


class SqlWholeGraphs:
    def __init__(self, graph: SqlGraph, folder: Path, keeps: bool = True) -> None:
        """folder: where layouts are kept; keeps: whether new ones are, or only those of others are continued."""
        self._graph = graph
        self._keeps = keeps
        self._folder = folder
        self._kept = VersionedCache(self._read, OF_GRAPH)
        self._making = threading.Lock()
        self._threads: dict[str, threading.Thread] = {}
        self._progress: dict[str, float] = {}

    def whole(self, base_id: str) -> WholeGraph:
        with self._making, reading(self._graph.engine) as connection:
            return self._kept.of(connection, base_id)

    def prepare(self, base_id: str, patience: float = 0.0) -> bool:
        if self._is_made(base_id):
            return True
        thread = self._threads.get(base_id)
        if thread is None or not thread.is_alive():
            self._progress[base_id] = 0.0
            thread = threading.Thread(target=on_behalf(self.whole), args=(base_id,), name="whole-graph", daemon=True)
            self._threads[base_id] = thread
            thread.start()
        thread.join(patience)
        return self._is_made(base_id)

    def progress(self, base_id: str) -> float:
        thread = self._threads.get(base_id)
        return self._progress.get(base_id, 0.0) if thread and thread.is_alive() else 1.0

    def _is_made(self, base_id: str) -> bool:
        with reading(self._graph.engine) as connection:
            return self._kept.is_kept(connection, base_id)

    def _read(self, connection: Connection, base_id: str) -> WholeGraph:
        version = "/".join(map(str, connection.execute(OF_GRAPH, {"base": base_id}).tuples().first() or ()))
        resolution = self._graph.entities.resolution(connection, base_id)
        every = select(entities.c.id).where(entities.c.base_id == base_id)
        ranked = every.order_by(entities.c.mentions.desc(), entities.c.name, entities.c.id)
        ids = connection.execute(ranked.limit(MOST_ENTITIES + len(resolution.touched))).scalars().all()
        found = self._graph.entities.load(connection, ids, resolution)
        order = sorted(found, key=lambda entity: (-entity.mentions, entity.name, entity.id))
        before = self._places(base_id)
        network = self._graph.networks.of(connection, base_id)
        self._progress[base_id] = READ
        made = whole_graph(version, order, network, before, partial(self._tell, base_id))
        if self._keeps:
            self._keep(base_id, made)
        return made

    def _tell(self, base_id: str, laid_out: float) -> None:
        self._progress[base_id] = READ + (1 - READ) * laid_out

    def _places(self, base_id: str) -> Places:
        """Of the last layout; none where there is no file of this form."""
        try:
            with np.load(self._file(base_id), allow_pickle=False) as kept:
                if int(kept["form"]) != _FORM:
                    return {}
                ids = [id.decode() for id in kept["ids"].tolist()]
                return dict(zip(ids, map(tuple, kept["places"].tolist()), strict=True))
        except (OSError, EOFError, ValueError, KeyError, BadZipFile):
            return {}

    def _keep(self, base_id: str, made: WholeGraph) -> None:
        file = BytesIO()
        ids = np.array([entity.id.encode() for entity in made.entities])
        places = np.stack([np.frombuffer(axis, np.float32) for axis in (made.x, made.y)], axis=1)
        np.savez(file, form=np.int64(_FORM), ids=ids, places=places)
        try:
            write_replaceable(self._file(base_id), file.getvalue())
        except AppError:
            return  # a full disk costs the next start a new layout, and nothing else

    def _file(self, base_id: str) -> Path:
        return self._folder / f"{sha256(base_id.encode()).hexdigest()[:24]}.npz"
