"""Migrates a database to the schema of this version, even if several processes start at once."""

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Column, Connection, Engine, MetaData, PrimaryKeyConstraint, String, Table, inspect, text

from core.adapters.sql.engine import reading, restructuring
from core.adapters.sql.schema import METADATA, REVISION
from core.errors import ConfigurationError

if TYPE_CHECKING:
    from alembic.config import Config

_VERSIONS = Table(
    "alembic_version",
    MetaData(),
    Column("version_num", String(32), nullable=False),
    PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
"""As Alembic makes it."""


def migrate(engine: Engine) -> None:
    """Brings an empty or older database to REVISION in one transaction.

    Raises ConfigurationError if a newer version of the app has written it.
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
            _upgrade(connection)


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.script import ScriptDirectory

    settings = configuration(connection)
    found = _revision(connection)
    if found and found not in {script.revision for script in ScriptDirectory.from_config(settings).walk_revisions()}:
        raise ConfigurationError("storage.database_newer", found=found, known=REVISION)
    command.upgrade(settings, "head")


def configuration(connection: Connection) -> "Config":
    """Alembic's, for work on this connection."""
    from alembic.config import Config

    settings = Config()
    settings.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    settings.attributes["connection"] = connection
    return settings


def _revision(connection: Connection) -> str:
    """Empty for a database without our tables."""
    if not inspect(connection).has_table("alembic_version"):
        return ""
    return str(connection.execute(text("SELECT version_num FROM alembic_version")).scalar() or "")
