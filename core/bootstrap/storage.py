"""Where documents, the graph, memories, conversations and runs are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.bootstrap.lazy import Area, lazy
from core.bootstrap.models import Models
from core.errors import ConfigurationError
from core.settings.preferences import PreferenceStore, share_missing

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from core.adapters.sql.data_folder import Owner
    from core.adapters.sql.graph import SqlGraph
    from core.ingest.lifecycle.file_store import FileStore
    from core.ports.api_keys import ApiKeys, ApiSessions
    from core.ports.blobs import Blobs
    from core.ports.evaluation import Evaluations, Votes
    from core.ports.graph import Communities, GraphEdits, PastGraphs, WholeGraphs
    from core.ports.library import Library
    from core.ports.memory import MemoryStore
    from core.ports.people import Audit, People, Shares
    from core.ports.processes import ProcessInfo
    from core.ports.runs import FeedbackStore, Preferences, QuestionSearch, RunLists, RunLog, RunTexts, Threads
    from core.settings.settings import Settings


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
        from core.adapters.sql.data_folder import claim
        from core.adapters.sql.engine import open_engine
        from core.adapters.sql.migrate import migrate

        _check_shared(self.settings)
        engine = open_engine(self.settings.sql_url)
        migrate(engine)
        if self.settings.database_url:
            claim(engine, self._owner)
        if self.shared:
            from core.adapters.sql.scoping import keep_apart

            keep_apart(engine)
        if self._refuses_people:
            from core.adapters.sql.people import SqlPeople

            if SqlPeople(engine).all():
                raise ConfigurationError("people.sign_in.gone")
        return engine

    @lazy
    def _owner(self) -> Owner:
        """Of the database: the data folder, or the place of the files that several share."""
        from core.adapters.sql.data_folder import owner_by_blobs, owner_by_folder

        return owner_by_blobs(self.blobs) if self.blobs else owner_by_folder(self.settings.data)

    @lazy
    def blobs(self) -> Blobs | None:
        """What processes with data folders of their own share; None where there is one data folder."""
        from core.adapters.blobs.by_url import blobs_at

        return blobs_at(self.settings.files_url) if self.settings.is_shared else None

    @lazy
    def shared_settings(self) -> PreferenceStore:
        """What is changed in the app, for all processes that share the database."""
        return _shared_settings(self.engine, self.settings)

    def processes(self) -> list[ProcessInfo]:
        """Those that share the database now; none where there is one data folder."""
        from core.adapters.sql.leases import processes

        return processes(self.engine, self.settings.lease_seconds) if self.settings.is_shared else []

    def take_over(self) -> None:
        """Assigns the database to this data folder, or to the files that several share, and shares what is here."""
        from core.adapters.sql.data_folder import take_over
        from core.adapters.sql.engine import open_engine
        from core.adapters.sql.migrate import migrate

        _check_shared(self.settings)
        engine = open_engine(self.settings.sql_url)
        migrate(engine)
        self._share_files()
        if self.settings.is_shared:
            share_missing(self.settings.data, _shared_settings(engine, self.settings))
        take_over(engine, self._owner)
        engine.dispose()

    def _share_files(self) -> None:
        """What the data folder alone has so far."""
        from core.ingest.lifecycle.base_trash import deleted_bases
        from core.ingest.lifecycle.trash import Trash

        data, blobs = self.settings.data, self.blobs
        if blobs is None:
            return
        self.files.share()
        for name in ("trash", "versions"):
            Trash(data / name, shared=blobs).store.share()
        deleted_bases(data / "trash", blobs).share()

    @lazy
    def library(self) -> Library:
        from core.adapters.sql.library import sql_library

        return sql_library(self.engine, opened=self.audit.opened) if self.shared else sql_library(self.engine)

    @lazy
    def graph(self) -> SqlGraph:
        from core.adapters.sql.graph import SqlGraph
        from core.kg.name_meanings import NameMeanings

        own = not self.settings.database_url  # another database may be put back to an earlier state
        folder = self.settings.data / "cache" / "networks" if own else None
        return SqlGraph(self.engine, NameMeanings(self._models.encoder), folder)

    @lazy
    def whole_graphs(self) -> WholeGraphs:
        from core.adapters.sql.whole_graphs import SqlWholeGraphs

        return SqlWholeGraphs(self.graph, self.settings.data / "cache" / "layouts")

    @lazy
    def communities(self) -> Communities:
        from core.adapters.sql.communities import SqlCommunities

        return SqlCommunities(self.graph, self.library.passages)

    @lazy
    def past_graphs(self) -> PastGraphs:
        from core.adapters.sql.past_graphs import SqlPastGraphs
        from core.ingest.lifecycle.trash import Trash

        trash = Trash(self.settings.data / "trash", shared=self.blobs)
        return SqlPastGraphs(self.engine, self.settings.data / "cache" / "layouts", trash.published)

    @lazy
    def graph_edits(self) -> GraphEdits:
        from core.adapters.sql.graph_edits import SqlGraphEdits

        return SqlGraphEdits(self.engine)

    @lazy
    def memories(self) -> MemoryStore:
        from core.adapters.sql.memories import SqlMemoryStore

        return SqlMemoryStore(self.engine, self._models.embedder)

    @lazy
    def threads(self) -> Threads:
        from core.adapters.sql.threads import SqlThreads

        return SqlThreads(self.engine)

    @lazy
    def runs(self) -> RunLog:
        from core.adapters.sql.run_log import SqlRunLog

        return SqlRunLog(self.engine)

    @lazy
    def feedback(self) -> FeedbackStore:
        from core.adapters.sql.feedback import SqlFeedbackStore

        return SqlFeedbackStore(self.engine)

    @lazy
    def questions(self) -> QuestionSearch:
        from core.adapters.sql.question_search import SqlQuestionSearch

        return SqlQuestionSearch(self.engine, self._models.encoder)

    @lazy
    def preferences(self) -> Preferences:
        from core.adapters.sql.preferences import SqlPreferences

        return SqlPreferences(self.engine)

    @lazy
    def api_keys(self) -> ApiKeys:
        from core.adapters.sql.api_keys import SqlApiKeys

        return SqlApiKeys(self.engine)

    @lazy
    def api_sessions(self) -> ApiSessions:
        from core.adapters.sql.api_keys import SqlApiSessions

        return SqlApiSessions(self.engine)

    @lazy
    def people(self) -> People:
        from core.adapters.sql.people import SqlPeople

        return SqlPeople(self.engine)

    @lazy
    def shares(self) -> Shares:
        from core.adapters.sql.shares import SqlShares

        return SqlShares(self.engine)

    @lazy
    def audit(self) -> Audit:
        from core.adapters.sql.audit import SqlAudit

        return SqlAudit(self.engine)

    @lazy
    def run_lists(self) -> RunLists:
        from core.adapters.sql.run_lists import SqlRunLists

        return SqlRunLists(self.engine)

    @lazy
    def run_texts(self) -> RunTexts:
        from core.adapters.sql.run_texts import SqlRunTexts

        return SqlRunTexts(self.engine)

    @lazy
    def evaluations(self) -> Evaluations:
        from core.adapters.sql.evaluations import SqlEvaluations

        return SqlEvaluations(self.engine)

    @lazy
    def votes(self) -> Votes:
        from core.adapters.sql.votes import SqlVotes

        return SqlVotes(self.engine)

    @lazy
    def files(self) -> FileStore:
        from core.ingest.lifecycle.file_store import FileStore

        return FileStore(self.settings.files, self.blobs)

    def close(self) -> None:
        if self.made("engine"):
            self.engine.dispose()


def _shared_settings(engine: Engine, settings: Settings) -> PreferenceStore:
    from core.adapters.sql.shared_settings import SqlPreferenceStore

    try:
        from core.adapters.fernet_cipher import FernetCipher
    except ImportError as error:
        raise ConfigurationError("settings.key_library_missing") from error
    return SqlPreferenceStore(engine, FernetCipher(settings.settings_key.get_secret_value()))


def _check_shared(settings: Settings) -> None:
    """Raises ConfigurationError where processes with data folders of their own would not see each other's work."""
    if not settings.is_shared:
        return
    if not settings.sql_url.startswith("postgres"):
        raise ConfigurationError("storage.shared_incomplete", name="DATABASE_URL")
    if not settings.chroma_url:
        raise ConfigurationError("storage.shared_incomplete", name="CHROMA_URL")
