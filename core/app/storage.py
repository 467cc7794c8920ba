"""Stores of documents, the graph, memories, conversations and runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from core.app.lazy import Area, lazy
from core.app.models import Models
from core.documents.store.library import sql_library
from core.graph.names.name_meanings import NameMeanings
from core.graph.store.graph import SqlGraph
from core.memory.store.memories import SqlMemoryStore
from core.people.store.preferences import SqlPreferenceStore
from core.platform.blobs.folder import FolderBlobs
from core.platform.blobs.ports import Blobs
from core.platform.errors import ConfigurationError
from core.platform.processes.leases import processes
from core.platform.settings.preferences import PreferenceStore
from core.platform.sql.data_folder import claim, owner_by_blobs, owner_by_folder
from core.platform.sql.engine import open_engine
from core.platform.sql.migrate import migrate
from core.platform.sql.scoping import has_people, keep_apart
from core.runs.store.run_log import SqlRunLog
from core.runs.store.threads import SqlThreads

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from core.app.access import Access
    from core.app.graphs import Graphs
    from core.app.records import Records
    from core.documents.lifecycle.file_store import FileStore
    from core.documents.ports.library import Library
    from core.memory.ports import MemoryStore
    from core.platform.processes.ports import ProcessInfo
    from core.platform.settings.settings import Settings
    from core.platform.sql.data_folder import Owner
    from core.runs.ports import RunLog, Threads


class Storage(Area):
    def __init__(self, models: Models, shared: bool | None = None) -> None:
        super().__init__(models.configuration)
        self._models = models
        self.shared = bool(shared)
        self.serves = shared is not None
        """Whether this is an app that people use, rather than a command."""
        self._refuses_people = shared is False

    @lazy
    def engine(self) -> Engine:
        check_shared(self.settings)
        engine = open_engine(self.settings.sql_url, is_brief=not self.serves)
        migrate(engine)
        if self.settings.database_url:
            claim(engine, lambda: self.owner)
        if self.shared:
            keep_apart(engine)
        if self._refuses_people and has_people(engine):
            raise ConfigurationError("people.sign_in.gone")
        return engine

    @lazy
    def owner(self) -> Owner:
        """Owner of the database: the data folder, or the place of the files that several processes share."""
        return owner_by_blobs(self.blobs) if self.blobs else owner_by_folder(self.settings.data)

    @lazy
    def blobs(self) -> Blobs | None:
        """What processes with data folders of their own share; None where there is one data folder."""
        if not self.settings.is_shared:
            return None

        return blobs_at(self.settings.files_url)

    @lazy
    def shared_settings(self) -> PreferenceStore:
        """What is changed in the app, for all processes that share the database."""
        return shared_settings(self.engine, self.settings)

    def processes(self) -> list[ProcessInfo]:
        """Processes that share the database now; none if there is one data folder."""
        return processes(self.engine, self.settings.lease_seconds) if self.settings.is_shared else []

    @lazy
    def library(self) -> Library:
        return sql_library(self.engine, opened=self.access.audit.opened) if self.shared else sql_library(self.engine)

    @lazy
    def graph(self) -> SqlGraph:
        own = not self.settings.database_url  # another database may be put back to an earlier state
        folder = self.settings.data / "cache" / "networks" if own else None
        return SqlGraph(self.engine, NameMeanings(self._models.encoder), folder)

    @lazy
    def graphs(self) -> Graphs:
        from core.app.graphs import Graphs

        return Graphs(self)

    @lazy
    def access(self) -> Access:
        from core.app.access import Access

        return Access(self.engine)

    @lazy
    def records(self) -> Records:
        from core.app.records import Records

        return Records(self._models, self.engine)

    @lazy
    def memories(self) -> MemoryStore:
        return SqlMemoryStore(self.engine, self._models.encoder)

    @lazy
    def threads(self) -> Threads:
        return SqlThreads(self.engine)

    @lazy
    def runs(self) -> RunLog:
        return SqlRunLog(self.engine)

    @lazy
    def files(self) -> FileStore:
        from core.documents.lifecycle.file_store import FileStore

        return FileStore(self.settings.files, self.blobs, self.settings.data / "cache")

    def close(self) -> None:
        if self.made("engine"):
            self.engine.dispose()


def shared_settings(engine: Engine, settings: Settings) -> PreferenceStore:
    try:
        from core.platform.fernet_cipher import FernetCipher
    except ImportError as error:
        raise ConfigurationError("settings.key_library_missing") from error
    return SqlPreferenceStore(engine, FernetCipher(settings.settings_key.get_secret_value()))


def check_shared(settings: Settings) -> None:
    """Raises ConfigurationError where processes with data folders of their own would not see each other's work."""
    if not settings.is_shared:
        return
    if not settings.sql_url.startswith("postgres"):
        raise ConfigurationError("storage.shared_incomplete", name="DATABASE_URL")
    if not settings.chroma_url:
        raise ConfigurationError("storage.shared_incomplete", name="CHROMA_URL")


def blobs_at(url: str) -> Blobs:
    """`file:///folder` or `s3://bucket/prefix`. Raises ConfigurationError for any other."""
    parts = urlsplit(url)
    if parts.scheme == "file" and not parts.netloc and parts.path not in ("", "/"):
        return FolderBlobs(Path(unquote(parts.path)))
    if parts.scheme == "s3" and parts.netloc and "@" not in parts.netloc:
        return _in_object_store(url.rstrip("/"))
    raise ConfigurationError("storage.files_url_unusable")


def _in_object_store(url: str) -> Blobs:
    """Its library is an extra."""
    try:
        from core.platform.blobs.object_store import ObjectStoreBlobs
    except ImportError as error:
        raise ConfigurationError("storage.files_library_missing") from error
    return ObjectStoreBlobs(url)
