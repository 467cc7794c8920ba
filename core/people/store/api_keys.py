"""Keys of the HTTP interface, in SQL: of each only a hash.

SHA-256 without salt or stretching is enough, because a key is 256 random bits: there is nothing to guess.
"""

import secrets
from datetime import datetime, timedelta
from hashlib import sha256
from uuid import uuid4

from sqlalchemy import Engine, RowMapping, insert, select, update

from core.people.api_keys import MAX_KEY_NAME, ApiKey, KeyScope
from core.platform.clock import Clock, utc_now
from core.platform.errors import InputError, NotFoundError
from core.platform.identity import SYSTEM, acting_as, acting_id
from core.platform.sql.compiled_statements import put_all
from core.platform.sql.conversation_tables import threads
from core.platform.sql.engine import lock_row, reading, writing
from core.platform.sql.installation_tables import api_keys, api_sessions

PREFIX = "gtk_"
"""By it people and scanners of leaked keys recognise one."""
_HINT = len(PREFIX) + 4
_NOTED = timedelta(minutes=1)
"""A use within this time after the last one is not noted, so that a request seldom writes."""
_LONGEST = 200


class SqlApiKeys:
    def __init__(self, engine: Engine, clock: Clock = utc_now) -> None:
        self.engine = engine
        self.clock = clock

    def make(self, name: str, scope: KeyScope) -> tuple[ApiKey, str]:
        words = " ".join(name.split())
        if not words or len(words) > MAX_KEY_NAME:
            raise InputError("api.key.name", limit=MAX_KEY_NAME)
        secret = PREFIX + secrets.token_urlsafe(32)
        made = ApiKey(uuid4().hex, words, scope, secret[:_HINT], self.clock(), owner_id=acting_id())
        row = {"id": made.id, "name": words, "scope": scope.value, "hint": made.hint, "digest": _digest(secret)}
        with writing(self.engine) as connection:
            connection.execute(insert(api_keys), {**row, "created_at": made.created_at})
        return made, secret

    def all(self) -> list[ApiKey]:
        statement = select(api_keys).order_by(api_keys.c.created_at.desc(), api_keys.c.id)
        with reading(self.engine) as connection:
            return [_key(row) for row in connection.execute(statement).mappings()]

    def revoke(self, key_id: str) -> None:
        found = api_keys.c.id == key_id
        with writing(self.engine) as connection:
            if not connection.execute(select(api_keys.c.id).where(found)).first():
                raise NotFoundError("api.key.missing")
            in_force = found & api_keys.c.revoked_at.is_(None)
            connection.execute(update(api_keys).where(in_force).values(revoked_at=self.clock()))

    def known(self, secret: str) -> ApiKey | None:
        if not secret.startswith(PREFIX) or len(secret) > _LONGEST:
            return None
        statement = select(api_keys).where(api_keys.c.digest == _digest(secret), api_keys.c.revoked_at.is_(None))
        with acting_as(SYSTEM):  # whose work it is becomes known by the key
            with reading(self.engine) as connection:
                row = connection.execute(statement).mappings().first()
            if row is None:
                return None
            key = _key(row)
            self._note_use(key, self.clock())
        return key

    def _note_use(self, key: ApiKey, now: datetime) -> None:
        if key.last_used_at is None or now - key.last_used_at >= _NOTED:
            with writing(self.engine, durable=False) as connection:
                connection.execute(update(api_keys).where(api_keys.c.id == key.id).values(last_used_at=now))


class SqlApiSessions:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def thread(self, key_id: str, name: str) -> str:
        statement = select(api_sessions.c.thread_id).where(api_sessions.c.digest == _digest(f"{key_id} {name}"))
        with reading(self.engine) as connection:
            return connection.execute(statement).scalar() or ""

    def keep(self, key_id: str, name: str, thread_id: str) -> None:
        """Nothing is kept where the thread was deleted meanwhile."""
        row = {"digest": _digest(f"{key_id} {name}"), "key_id": key_id, "thread_id": thread_id}
        with writing(self.engine) as connection:
            if lock_row(connection, threads, thread_id, against_deletion=True):
                put_all(connection, api_sessions, [row])


def _digest(secret: str) -> str:
    return sha256(secret.encode("utf-8", "replace")).hexdigest()


def _key(row: RowMapping) -> ApiKey:
    used, revoked = row["last_used_at"], row["revoked_at"]
    scope, owner = KeyScope(row["scope"]), row["owner_id"]
    return ApiKey(row["id"], row["name"], scope, row["hint"], row["created_at"], used, revoked, owner)
