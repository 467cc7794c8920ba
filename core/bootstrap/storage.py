"""Where documents, the graph, memories, conversations and runs are kept."""

from typing import TYPE_CHECKING

from core.bootstrap.lazy import Area, lazy
from core.bootstrap.models import Models
from core.errors import ConfigurationError
from core.ports.api_keys import ApiKeys, ApiSessions
from core.ports.evaluation import Evaluations, Votes
from core.ports.graph import GraphEdits, WholeGraphs
from core.ports.library import Library
from core.ports.memory import MemoryStore
from core.ports.people import Audit, People, Shares
from core.ports.runs import FeedbackStore, Preferences, QuestionSearch, RunLists, RunLog, RunTexts, Threads

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from core.adapters.sql.graph import SqlGraph
    from core.ingest.lifecycle.file_store import FileStore


class Storage(Area):
    def __init__(self, models: Models, shared: bool | None = None) -> None:
        super().__init__(models.configuration)
        self._models = models
        self.shared = bool(shared)
        self._refuses_people = shared is False

    @lazy
    def engine(self) -> "Engine":
        from core.adapters.sql.data_folder import claim
        from core.adapters.sql.engine import open_engine
        from core.adapters.sql.migrate import migrate

        engine = open_engine(self.settings.sql_url)
        migrate(engine)
        if self.settings.database_url:
            claim(engine, self.settings.data)
        if self.shared:
            from core.adapters.sql.scoping import keep_apart

            keep_apart(engine)
        if self._refuses_people:
            from core.adapters.sql.people import SqlPeople

            if SqlPeople(engine).all():
                raise ConfigurationError("people.sign_in.gone")
        return engine

    def take_over(self) -> None:
        """Assigns the database to this data folder, whichever folder it belonged to."""
        from core.adapters.sql.data_folder import take_over
        from core.adapters.sql.engine import open_engine
        from core.adapters.sql.migrate import migrate

        engine = open_engine(self.settings.sql_url)
        migrate(engine)
        take_over(engine, self.settings.data)
        engine.dispose()

    @lazy
    def library(self) -> Library:
        from core.adapters.sql.library import sql_library

        return sql_library(self.engine)

    @lazy
    def graph(self) -> "SqlGraph":
        from core.adapters.sql.graph import SqlGraph
        from core.kg.name_meanings import NameMeanings

        return SqlGraph(self.engine, NameMeanings(self._models.encoder))

    @lazy
    def whole_graphs(self) -> WholeGraphs:
        from core.adapters.sql.whole_graphs import SqlWholeGraphs

        return SqlWholeGraphs(self.graph, self.settings.data / "cache" / "layouts")

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
    def files(self) -> "FileStore":
        from core.ingest.lifecycle.file_store import FileStore

        return FileStore(self.settings.files)

    def close(self) -> None:
        if self.made("engine"):
            self.engine.dispose()
