"""Where documents, the graph, memories, conversations and runs are kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.adapters.blobs.by_url import blobs_at
from core.adapters.sql.api_keys import SqlApiKeys, SqlApiSessions
from core.adapters.sql.audit import SqlAudit
from core.adapters.sql.data_folder import claim, owner_by_blobs, owner_by_folder, take_over
from core.adapters.sql.engine import open_engine
from core.adapters.sql.evaluations import SqlEvaluations
from core.adapters.sql.feedback import SqlFeedbackStore
from core.adapters.sql.graph_edits import SqlGraphEdits
from core.adapters.sql.leases import processes
from core.adapters.sql.library import sql_library
from core.adapters.sql.memories import SqlMemoryStore
from core.adapters.sql.migrate import migrate
from core.adapters.sql.people import SqlPeople
from core.adapters.sql.preferences import SqlPreferences
from core.adapters.sql.question_search import SqlQuestionSearch
from core.adapters.sql.run_lists import SqlRunLists
from core.adapters.sql.run_log import SqlRunLog
from core.adapters.sql.run_texts import SqlRunTexts
from core.adapters.sql.scoping import keep_apart
from core.adapters.sql.shares import SqlShares
from core.adapters.sql.threads import SqlThreads
from core.adapters.sql.votes import SqlVotes
from core.bootstrap.lazy import Area, lazy
from core.bootstrap.models import Models
from core.errors import ConfigurationError
from core.ingest.lifecycle.base_trash import deleted_bases
from core.ingest.lifecycle.trash import Trash
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
        _check_shared(self.settings)
        engine = open_engine(self.settings.sql_url)
        migrate(engine)
        if self.settings.database_url:
            claim(engine, self._owner)
        if self.shared:
            keep_apart(engine)
        if self._refuses_people and SqlPeople(engine).all():
            raise ConfigurationError("people.sign_in.gone")
        return engine

    @lazy
    def _owner(self) -> Owner:
        """Of the database: the data folder, or the place of the files that several share."""
        return owner_by_blobs(self.blobs) if self.blobs else owner_by_folder(self.settings.data)

    @lazy
    def blobs(self) -> Blobs | None:
        """What processes with data folders of their own share; None where there is one data folder."""
        return blobs_at(self.settings.files_url) if self.settings.is_shared else None

    @lazy
    def shared_settings(self) -> PreferenceStore:
        """What is changed in the app, for all processes that share the database."""
        return _shared_settings(self.engine, self.settings)

    def processes(self) -> list[ProcessInfo]:
        """Those that share the database now; none where there is one data folder."""
        return processes(self.engine, self.settings.lease_seconds) if self.settings.is_shared else []

    def take_over(self) -> None:
        """Assigns the database to this data folder, or to the files that several share, and shares what is here."""
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
        data, blobs = self.settings.data, self.blobs
        if blobs is None:
            return
        self.files.share()
        for name in ("trash", "versions"):
            Trash(data / name, shared=blobs).store.share()
        deleted_bases(data / "trash", blobs).share()

    @lazy
    def library(self) -> Library:
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

        trash = Trash(self.settings.data / "trash", shared=self.blobs)
        return SqlPastGraphs(self.engine, self.settings.data / "cache" / "layouts", trash.published)

    @lazy
    def graph_edits(self) -> GraphEdits:
        return SqlGraphEdits(self.engine)

    @lazy
    def memories(self) -> MemoryStore:
        return SqlMemoryStore(self.engine, self._models.embedder)

    @lazy
    def threads(self) -> Threads:
        return SqlThreads(self.engine)

    @lazy
    def runs(self) -> RunLog:
        return SqlRunLog(self.engine)

    @lazy
    def feedback(self) -> FeedbackStore:
        return SqlFeedbackStore(self.engine)

    @lazy
    def questions(self) -> QuestionSearch:
        return SqlQuestionSearch(self.engine, self._models.encoder)

    @lazy
    def preferences(self) -> Preferences:
        return SqlPreferences(self.engine)

    @lazy
    def api_keys(self) -> ApiKeys:
        return SqlApiKeys(self.engine)

    @lazy
    def api_sessions(self) -> ApiSessions:
        return SqlApiSessions(self.engine)

    @lazy
    def people(self) -> People:
        return SqlPeople(self.engine)

    @lazy
    def shares(self) -> Shares:
        return SqlShares(self.engine)

    @lazy
    def audit(self) -> Audit:
        return SqlAudit(self.engine)

    @lazy
    def run_lists(self) -> RunLists:
        return SqlRunLists(self.engine)

    @lazy
    def run_texts(self) -> RunTexts:
        return SqlRunTexts(self.engine)

    @lazy
    def evaluations(self) -> Evaluations:
        return SqlEvaluations(self.engine)

    @lazy
    def votes(self) -> Votes:
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
