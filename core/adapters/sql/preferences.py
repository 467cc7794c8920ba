"""The user's last choices in the app, in SQL: small JSON values by name."""

from sqlalchemy import Engine, delete, insert, select

from core.adapters.sql.engine import reading, writing
from core.adapters.sql.schema import preferences
from core.domain.people import acting_id


class SqlPreferences:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def all(self) -> dict[str, object]:
        with reading(self.engine) as connection:
            own = select(preferences.c.name, preferences.c.value).where(preferences.c.owner_id == acting_id())
            return dict(connection.execute(own).tuples().all())

    def keep(self, name: str, value: object) -> None:
        own = (preferences.c.owner_id == acting_id()) & (preferences.c.name == name)
        with writing(self.engine) as connection:
            connection.execute(delete(preferences).where(own))
            connection.execute(insert(preferences), {"name": name, "value": value})
