"""The composition root: joins the areas, each of which makes its parts when they are first used."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Self

from core.app.lazy import Area, Configuration, lazy
from core.app.models import Models, tried_llm
from core.app.runs import Runs
from core.app.search import SearchParts
from core.app.storage import Storage
from core.graph.files.pyvis_view import PyvisDrawing
from core.platform.blobs.folder import FolderBlobs
from core.platform.blobs.ports import Blobs
from core.platform.clock import utc_now
from core.platform.files.atomic_file import remove_unfinished, write_atomically
from core.platform.files.disk import keep_private
from core.platform.identity import AUDIT_DAYS, ENDED_DAYS, SYSTEM, acting_as
from core.platform.processes.process_tuning import calculate_in_own_thread, collect_seldom, share_heap

UNDO_TIME = timedelta(days=7)
"""Time in which a deleted thread can be restored, like a deleted document."""

if TYPE_CHECKING:
    from core.app.ingestion import Ingestion
    from core.app.lifecycle import Lifecycle
    from core.documents.ports.library import Library
    from core.graph.ports import Communities, GraphEdits, KnowledgeGraph, PastGraphs, WholeGraphs
    from core.memory.ports import MemoryStore
    from core.models.ports import Llm, Pause
    from core.models.providers import LookedAt
    from core.platform.settings.settings import Settings
    from core.runs.execution.worker import RunWorker
    from core.runs.ports import RunLog, Threads
_APART = timedelta(hours=12)
_WRITTEN = ("files", "trash", "versions", "work")
"""Folders of the data folder that take whole documents and bases."""


class Services(Area):
    """The services that the pages, the command line and the ingestion process use; close() when done.

    The ports that are used everywhere are named here; everything else is in the area that it belongs to.
    """

    def __init__(self, settings: Settings, shared: bool | None = None) -> None:
        """shared: whether people sign in; every piece of work must then say for whom it is done.

        None for the command line and the ingestion process, which work for everybody.
        """
        collect_seldom()
        share_heap()
        calculate_in_own_thread()
        keep_private(settings.data)
        super().__init__(Configuration(settings))
        self.models = Models(self.configuration)
        self.storage = Storage(self.models, shared)
        self.search = SearchParts(self.models, self.storage)
        self.answering = Runs(self.models, self.storage, self.search)
        if settings.is_shared:
            self.configuration.share(self.storage.shared_settings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @lazy
    def ingestion(self) -> Ingestion:
        from core.app.ingestion import Ingestion

        return Ingestion(self.models, self.storage)

    @lazy
    def lifecycle(self) -> Lifecycle:
        from core.app.lifecycle import Lifecycle

        return Lifecycle(self.storage, self.search, self.ingestion)

    @property
    def library(self) -> Library:
        return self.storage.library

    @property
    def graph(self) -> KnowledgeGraph:
        return self.storage.graph

    @property
    def whole_graphs(self) -> WholeGraphs:
        return self.storage.graphs.whole

    @property
    def communities(self) -> Communities:
        return self.storage.graphs.communities

    @property
    def past_graphs(self) -> PastGraphs:
        return self.storage.graphs.past

    @property
    def graph_edits(self) -> GraphEdits:
        return self.storage.graphs.edits

    @property
    def memories(self) -> MemoryStore:
        return self.storage.memories

    @property
    def threads(self) -> Threads:
        return self.storage.threads

    @property
    def runs(self) -> RunLog:
        return self.storage.runs

    @property
    def llm(self) -> Llm:
        return self.models.llm

    @property
    def engines(self) -> tuple[str, ...]:
        """Engines that can answer: the model of the settings first, the built-in one last."""
        return self.models.engines

    def model_pause(self) -> Pause | None:
        """While the model is left alone after a failure; None before it was ever asked."""
        return self.llm.pause() if self.models.made("llm") else None

    @property
    def worker(self) -> RunWorker:
        return self.answering.worker

    @lazy
    def drawing(self) -> PyvisDrawing:
        return PyvisDrawing()

    def try_model(self, changes: Mapping[str, str | None]) -> tuple[str, float]:
        """The engine that would answer after the changes, and the seconds of a call of one token. Raises AppError."""
        return tried_llm(self.configuration.changed(changes), self.models.here)

    def look_for_models(self) -> tuple[LookedAt, ...]:
        """Which servers of models run on this machine at their usual ports."""
        from core.models.chat.local_servers import look_around

        return look_around()

    def try_parser(self, name: str, changes: Mapping[str, str | None]) -> str:
        """What answers where the parser would be asked after the changes. Raises AppError."""
        from core.app.parsers import probe_parser

        return probe_parser(name, self.configuration.changed(changes), self.settings.data / "work")

    def try_web(self, changes: Mapping[str, str | None], query: str) -> int:
        """How many results the query, which leaves the machine, has after the changes. Raises AppError."""
        from core.search.tavily_search import TavilySearch

        settings = self.configuration.changed(changes)
        return len(TavilySearch(settings.tavily_api_key.get_secret_value(), settings.tavily_base_url).search(query, 3))

    def warm(self) -> None:
        """Loads what the first question would otherwise wait for: LangGraph, the engine, the indexes."""
        self.worker.warm(self.models.warm)
        with acting_as(SYSTEM):
            for base in self.library.bases.all()[:1]:
                self.search.retriever.chunks(base.id, "GraphTalk 圖譜", 1)
                self.storage.graph.prepare_names(base.id)

    def tidy(self) -> None:
        """Deletes what has been kept as long as promised; to be called once a day."""
        at = earlier_look(self.settings.data / "tidied.txt", utc_now())
        if at is None:
            return
        with acting_as(SYSTEM):
            self.lifecycle.expire(at)
            remove_half_written(self.settings.data, self.storage.blobs, at)
            self.threads.purge(at - UNDO_TIME)
            self.configuration.refresh()
            self.storage.access.audit.forget(at - timedelta(days=AUDIT_DAYS))
            self.storage.access.people.forget_sessions(at - timedelta(days=ENDED_DAYS))
            if days := self.settings.keep_run_texts_days:
                self.storage.records.run_texts.remove(at - timedelta(days=days))

    def close(self) -> None:
        """Stop the threads and the ingestion process that were started here; nothing to do is fine."""
        with acting_as(SYSTEM):
            self.answering.close()
        if self.made("ingestion"):
            self.ingestion.close()
        if self.made("lifecycle"):
            self.lifecycle.close()
        self.search.close()
        self.models.here.close()
        self.storage.close()


def earlier_look(note: Path, now: datetime) -> datetime | None:
    """The time of the look before this one, at least half a day earlier; None if there was none. Notes this one.

    Nothing tells a clock that stands ahead from a machine that was off. So nothing goes for good by a time that was
    seen only once: a clock that has been set right by the next look has deleted nothing.
    """
    before = _noted(note)
    if before and now - _APART < before <= now:
        return None
    write_atomically(note, now.isoformat().encode())
    return before if before and before <= now else None


def remove_half_written(data: Path, blobs: Blobs | None, before: datetime) -> None:
    folders = [data / name for name in _WRITTEN]
    if isinstance(blobs, FolderBlobs):
        folders.append(Path(blobs.place))
    for folder in folders:
        remove_unfinished(folder, before)


def _noted(note: Path) -> datetime | None:
    with suppress(OSError, ValueError):
        moment = datetime.fromisoformat(note.read_text("utf-8"))
        return moment if moment.tzinfo else None
    return None
