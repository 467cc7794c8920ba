"""Drawings of whole graphs and what their communities are about, derived once for each version of a base.

Layouts are also cached in files, so that the next drawing keeps its shape.
"""

import threading
import time
from collections.abc import Sequence
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from sqlalchemy import Connection

from core.graph.layout.full_layout import MOST_ENTITIES, Places, laid_out, whole_graph
from core.graph.model import CommunitySentence, Entity, WholeGraph
from core.graph.network.community_summary import salient_sentences
from core.graph.store.graph import SqlGraph
from core.graph.store.incidence_cache import write_arrays
from core.platform.identity import on_behalf
from core.platform.ids import content_id
from core.platform.sql.engine import reading
from core.platform.sql.versioned_cache import OF_GRAPH, VersionedCache
from core.search.ports import Passages

HEAD_START = 1.0
"""Seconds in which a rough graph can be drawn before its final layout takes processor time."""
_FORM = 1
"""Raised when layouts of earlier versions are not to be continued."""
MOST_KEPT = 200
"""Communities of a base."""
_Kept = dict[tuple[str, ...], tuple[CommunitySentence, ...]]


class SqlWholeGraphs:
    def __init__(self, graph: SqlGraph, folder: Path, keeps: bool = True) -> None:
        """folder: of cached layouts; keeps: whether new ones are cached, or cached ones are only read."""
        self._graph = graph
        self._keeps = keeps
        self._folder = folder
        self._first = VersionedCache(self._read, OF_GRAPH)
        self._last = VersionedCache(self._lay_out, OF_GRAPH)
        self._reading = threading.Lock()
        self._threads: dict[str, threading.Thread] = {}

    def whole(self, base_id: str) -> WholeGraph:
        with reading(self._graph.engine) as connection:
            if self._last.is_kept(connection, base_id):
                return self._last.of(connection, base_id)
            made = self._made(connection, base_id)
        if made.rough:
            self.prepare(base_id)
        return made

    def prepare(self, base_id: str) -> None:
        thread = self._threads.get(base_id)
        if thread is None or not thread.is_alive():
            thread = threading.Thread(target=on_behalf(self._finish), args=(base_id,), name="whole-graph", daemon=True)
            self._threads[base_id] = thread
            thread.start()

    def _finish(self, base_id: str) -> None:
        with reading(self._graph.engine) as connection:
            rough = self._made(connection, base_id).rough
        if rough:
            time.sleep(HEAD_START)
        with reading(self._graph.engine) as connection:
            self._last.of(connection, base_id)

    def _made(self, connection: Connection, base_id: str) -> WholeGraph:
        """The first drawing, made by one thread while the others wait."""
        with self._reading:
            return self._first.of(connection, base_id)

    def _read(self, connection: Connection, base_id: str) -> WholeGraph:
        version = "/".join(map(str, connection.execute(OF_GRAPH, {"base": base_id}).tuples().first() or ()))
        resolution = self._graph.entities.resolution(connection, base_id)
        shown = self._graph.entities.every(connection, base_id, resolution, MOST_ENTITIES)
        network = self._graph.networks.of(connection, base_id)
        made = whole_graph(version, shown, network, self._places(base_id))
        if self._keeps and not made.rough:
            self._keep(base_id, made)
        return made

    def _lay_out(self, connection: Connection, base_id: str) -> WholeGraph:
        rough = self._made(connection, base_id)
        if not rough.rough:
            return rough
        made = laid_out(rough)
        if self._keeps:
            self._keep(base_id, made)
        return made

    def _places(self, base_id: str) -> Places:
        """Positions of the last layout; empty if there is no file of this form."""
        try:
            with np.load(self._file(base_id), allow_pickle=False) as kept:
                if int(kept["form"]) != _FORM:
                    return {}
                ids = [id.decode() for id in kept["ids"].tolist()]
                return dict(zip(ids, map(tuple, kept["places"].tolist()), strict=True))
        except (OSError, EOFError, ValueError, KeyError, BadZipFile):
            return {}

    def _keep(self, base_id: str, made: WholeGraph) -> None:
        ids = np.array([entity.id.encode() for entity in made.entities])
        places = np.stack([np.frombuffer(axis, np.float32) for axis in (made.x, made.y)], axis=1)
        write_arrays(self._file(base_id), form=np.int64(_FORM), ids=ids, places=places)

    def _file(self, base_id: str) -> Path:
        return self._folder / f"{content_id(base_id)}.npz"


class SqlCommunities:
    def __init__(self, graph: SqlGraph, passages: Passages) -> None:
        self._graph = graph
        self._passages = passages
        self._kept: VersionedCache[_Kept] = VersionedCache(lambda *_: {}, OF_GRAPH)

    def describe(self, base_id: str, members: Sequence[Entity]) -> tuple[CommunitySentence, ...]:
        with reading(self._graph.engine) as connection:
            kept = self._kept.of(connection, base_id)
        asked = tuple(entity.id for entity in members)
        if asked not in kept:
            if len(kept) >= MOST_KEPT:
                kept.clear()
            kept[asked] = salient_sentences(self._graph, self._passages, members)
        return kept[asked]
