"""What is chosen in the app, in SQL: the last choices of each person, and settings that processes share, encrypted."""

from collections.abc import Mapping
from typing import Protocol

from sqlalchemy import Engine, bindparam, func, select

from core.platform.clock import Clock, utc_now
from core.platform.identity import SYSTEM, acting_as, acting_id
from core.platform.sql.compiled_statements import put_all
from core.platform.sql.conversation_tables import preferences
from core.platform.sql.engine import all_rows, keep_others_from_writing, reading, writing
from core.platform.sql.installation_tables import shared_settings

_OWN = select(preferences.c.name, preferences.c.value).where(preferences.c.owner_id == bindparam("me"))
"""Built once: building it takes longer than running it."""


class SqlPreferences:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def all(self) -> dict[str, object]:
        with reading(self.engine) as connection:
            return dict(connection.execute(_OWN, {"me": acting_id()}).tuples().all())

    def keep(self, name: str, value: object) -> None:
        with writing(self.engine) as connection:
            put_all(connection, preferences, [{"owner_id": acting_id(), "name": name, "value": value}])


class Cipher(Protocol):
    def encrypt(self, text: str) -> str: ...

    def decrypt(self, token: str) -> str: ...


class SqlPreferenceStore:
    """PreferenceStore. Names are readable in the database, values are not."""

    def __init__(self, engine: Engine, cipher: Cipher, clock: Clock = utc_now) -> None:
        self._engine = engine
        self._cipher = cipher
        self._clock = clock

    def read(self) -> dict[str, str]:
        with acting_as(SYSTEM):
            rows = all_rows(self._engine, select(shared_settings).where(shared_settings.c.value.is_not(None)))
        return {row["name"]: self._cipher.decrypt(row["value"]) for row in rows}

    def write(self, changes: Mapping[str, str | None]) -> None:
        """A removed value leaves a row, so that other processes see the change."""
        hidden = {name: None if value is None else self._cipher.encrypt(value) for name, value in changes.items()}
        with acting_as(SYSTEM), writing(self._engine) as connection:
            keep_others_from_writing(connection, shared_settings)
            version = connection.execute(select(func.coalesce(func.max(shared_settings.c.version), 0))).scalar_one()
            facts = {"version": version + 1, "changed_at": self._clock()}
            rows = [{"name": name, "value": value, **facts} for name, value in hidden.items()]
            put_all(connection, shared_settings, rows)

    def stamp(self) -> int:
        with acting_as(SYSTEM):
            rows = all_rows(self._engine, select(func.max(shared_settings.c.version).label("newest")))
        return int(rows[0]["newest"] or 0)
