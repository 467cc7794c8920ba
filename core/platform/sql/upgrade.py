"""Brings an older database to the schema of this version, by Alembic."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection

from core.platform.errors import ConfigurationError
from core.platform.sql.schema import REVISION


def upgrade(connection: Connection, found: str) -> None:
    """found: the database's revision. Raises ConfigurationError if it is none of the migrations'."""
    settings = configuration(connection)
    if found not in {script.revision for script in ScriptDirectory.from_config(settings).walk_revisions()}:
        key = "storage.database_older" if found < REVISION else "storage.database_newer"
        raise ConfigurationError(key, found=found or "–", known=REVISION)
    command.upgrade(settings, "head")


def configuration(connection: Connection) -> Config:
    """Configuration of Alembic for work on this connection."""
    settings = Config()
    settings.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    settings.attributes["connection"] = connection
    return settings
