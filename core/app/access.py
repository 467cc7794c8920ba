"""Stores of people and programs that use the application, of their rights and their preferences."""

from sqlalchemy import Engine

from core.people.ports import ApiKeys, ApiSessions, Audit, People, Shares
from core.people.store.api_keys import SqlApiKeys, SqlApiSessions
from core.people.store.people import SqlPeople
from core.people.store.preferences import SqlPreferences
from core.people.store.shares import SqlShares
from core.platform.sql.audit import SqlAudit
from core.runs.ports import Preferences


class Access:
    def __init__(self, engine: Engine) -> None:
        self.people: People = SqlPeople(engine)
        self.preferences: Preferences = SqlPreferences(engine)
        self.shares: Shares = SqlShares(engine)
        self.audit: Audit = SqlAudit(engine)
        self.api_keys: ApiKeys = SqlApiKeys(engine)
        self.api_sessions: ApiSessions = SqlApiSessions(engine)
