"""Stores of people and programs that use the application, of their rights and their preferences."""

from sqlalchemy import Engine

from core.app.lazy import Area, Configuration, lazy
from core.people.ports import ApiKeys, ApiSessions, Audit, People, Shares
from core.people.store.api_keys import SqlApiKeys, SqlApiSessions
from core.people.store.people import SqlPeople
from core.people.store.preferences import SqlPreferences
from core.people.store.shares import SqlShares
from core.platform.sql.audit import SqlAudit
from core.runs.ports import Preferences


class Access(Area):
    def __init__(self, configuration: Configuration, engine: Engine) -> None:
        super().__init__(configuration)
        self._engine = engine

    @lazy
    def people(self) -> People:
        return SqlPeople(self._engine)

    @lazy
    def preferences(self) -> Preferences:
        return SqlPreferences(self._engine)

    @lazy
    def shares(self) -> Shares:
        return SqlShares(self._engine)

    @lazy
    def audit(self) -> Audit:
        return SqlAudit(self._engine)

    @lazy
    def api_keys(self) -> ApiKeys:
        return SqlApiKeys(self._engine)

    @lazy
    def api_sessions(self) -> ApiSessions:
        return SqlApiSessions(self._engine)
