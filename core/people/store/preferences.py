"""The user's last choices in the app, in SQL: small JSON values by name."""

from sqlalchemy import Engine, bindparam, delete, insert, select

from core.platform.identity import acting_id
from core.platform.sql.engine import reading, writing
from core.platform.sql.schema import preferences

_OWN = select(preferences.c.name, preferences.c.value).where(preferences.c.owner_id == bindparam("me"))
"""Built once: building it takes longer than running it."""


class SqlPreferences:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def all(self) -> dict[str, object]:
        with reading(self.engine) as connection:
            return dict(connection.execute(_OWN, {"me": acting_id()}).tuples().all())

    def keep(self, name: str, value: object) -> None:
        own = (preferences.c.owner_id == acting_id()) & (preferences.c.name == name)
        with writing(self.engine) as connection:
            connection.execute(delete(preferences).where(own))
            connection.execute(insert(preferences), {"name": name, "value": value})
