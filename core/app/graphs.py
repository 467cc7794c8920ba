"""Stores of whole graphs: edits, drawings, communities and past states."""

from typing import TYPE_CHECKING

from core.app.lazy import Area, lazy
from core.documents.lifecycle.trash import Trash
from core.graph.ports import Communities, GraphEdits, PastGraphs, WholeGraphs
from core.graph.store.drawings import SqlCommunities, SqlWholeGraphs
from core.graph.store.graph_edits import SqlGraphEdits
from core.graph.store.past_graphs import SqlPastGraphs

if TYPE_CHECKING:
    from core.app.storage import Storage


class Graphs(Area):
    def __init__(self, storage: "Storage") -> None:
        super().__init__(storage.configuration)
        self._storage = storage
        self._layouts = storage.settings.data / "cache" / "layouts"

    @lazy
    def edits(self) -> GraphEdits:
        return SqlGraphEdits(self._storage.engine)

    @lazy
    def whole(self) -> WholeGraphs:
        return SqlWholeGraphs(self._storage.graph, self._layouts)

    @lazy
    def communities(self) -> Communities:
        return SqlCommunities(self._storage.graph, self._storage.library.passages)

    @lazy
    def past(self) -> PastGraphs:
        trash = Trash(self.settings.data / "trash", shared=self._storage.blobs)
        return SqlPastGraphs(self._storage.engine, self._layouts, trash.published)
