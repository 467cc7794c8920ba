"""The user's last choices in the app, in SQL: small JSON values by name."""

from sqlalchemy import Engine, delete, insert, select

from core.adapters.sql.engine import reading, writing
from core.adapters.sql.schema import preferences


class SqlPreferences:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def all(self) -> dict[str, object]:
        with reading(self.engine) as connection:
            return dict(connection.execute(select(preferences)).tuples().all())

    def keep(self, name: str, value: object) -> None:
        with writing(self.engine) as connection:
            connection.execute(delete(preferences).where(preferences.c.name == name))
            connection.execute(insert(preferences), {"name": name, "value": value})
