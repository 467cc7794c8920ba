"""Building blocks of the tables: their metadata, and kinds of columns that many of them have, none of them nullable."""

from sqlalchemy import JSON, Boolean, Column, Float, ForeignKey, Integer, MetaData, String, text

from core.platform.identity import acting_id
from core.platform.sql.columns import UtcTime, Words

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def id() -> Column[str]:
    return Column("id", String, primary_key=True)


def position() -> Column[int]:
    """Order of arrival, because clocks may stand still."""
    return Column("position", Integer, primary_key=True, autoincrement=True)


def owner(name: str, table: str, primary_key: bool = False) -> Column[str]:
    """A reference whose row is deleted with its owner."""
    return Column(name, String, ForeignKey(f"{table}.id", ondelete="CASCADE"), nullable=False, primary_key=primary_key)


def person() -> Column[str]:
    """Owner of the row: the acting person when it is inserted."""
    return Column("owner_id", String, nullable=False, default=acting_id, server_default=text("''"))


def string(name: str) -> Column[str]:
    """A short word of our own: id, type or status."""
    return Column(name, String, nullable=False)


def words(name: str) -> Column[str]:
    """Text from outside, of any length."""
    return Column(name, Words, nullable=False)


def integer(name: str) -> Column[int]:
    return Column(name, Integer, nullable=False)


def number(name: str) -> Column[float]:
    return Column(name, Float, nullable=False)


def flag(name: str) -> Column[bool]:
    return Column(name, Boolean, nullable=False)


def time(name: str) -> Column[object]:
    return Column(name, UtcTime, nullable=False)


def json(name: str) -> Column[object]:
    return Column(name, JSON, nullable=False)
