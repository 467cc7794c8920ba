"""Migrates a database to the schema of this version, even if several processes start at once."""

from sqlalchemy import Column, Connection, Engine, MetaData, PrimaryKeyConstraint, String, Table, inspect, text

from core.platform.sql.engine import reading, restructuring
from core.platform.sql.schema import METADATA, REVISION

_VERSIONS = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
"""As Alembic makes it."""


def migrate(engine: Engine) -> None:
    """Brings an empty or older database to REVISION in one transaction.

    Raises ConfigurationError if its revision is newer, or older than the first migration.
    """
    with reading(engine) as connection:
        if _revision(connection) == REVISION:
            return
    with restructuring(engine) as connection:
        if set(inspect(connection).get_table_names()).isdisjoint({*METADATA.tables, _VERSIONS.name}):
            METADATA.create_all(connection, checkfirst=False)
            _VERSIONS.create(connection)
            connection.execute(_VERSIONS.insert().values(version_num=REVISION))
        else:
            from core.platform.sql.upgrade import upgrade

            upgrade(connection, _revision(connection))


def _revision(connection: Connection) -> str:
    """Empty for a database without our tables."""
    if not inspect(connection).has_table("alembic_version"):
        return ""
    return str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar() or "")
