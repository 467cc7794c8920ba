"""Tables of the HTTP interface: keys, and the sessions that programs name themselves."""

from sqlalchemy import Column, String, Table

from core.adapters.sql import kinds
from core.adapters.sql.columns import UtcTime
from core.adapters.sql.kinds import METADATA

api_keys = Table(
    "api_keys",
    METADATA,
    kinds.id(),
    kinds.words("name"),
    kinds.string("scope"),
    kinds.string("hint"),  # the first characters
    Column("digest", String, nullable=False, unique=True),
    kinds.time("created_at"),
    Column("last_used_at", UtcTime),
    Column("revoked_at", UtcTime),
)

api_sessions = Table(
    "api_sessions",
    METADATA,
    Column("digest", String, primary_key=True),  # of the key's id and the name
    kinds.owner("key_id", "api_keys"),
    kinds.owner("thread_id", "threads"),
)
