"""Tables of access: keys of the HTTP interface and the sessions that programs name, people, shares, what was done."""

from sqlalchemy import Boolean, Column, Index, String, Table

from core.platform.sql import column_types as kinds
from core.platform.sql.column_types import METADATA
from core.platform.sql.columns import UtcTime

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
    kinds.person(),
)

api_sessions = Table(
    "api_sessions",
    METADATA,
    Column("digest", String, primary_key=True),  # of the key's id and the name
    kinds.owner("key_id", "api_keys"),
    kinds.owner("thread_id", "threads"),
)

people = Table(
    "people",
    METADATA,
    kinds.id(),
    kinds.words("name"),
    kinds.words("email"),
    Column("admin", Boolean, nullable=False),
    kinds.time("seen_at"),  # the last sign-in
)

memberships = Table(
    "memberships",  # of people in groups, as of their last sign-in
    METADATA,
    kinds.owner("person_id", "people", primary_key=True),
    Column("subject", String, primary_key=True),
)

base_shares = Table(
    "base_shares",
    METADATA,
    kinds.owner("base_id", "knowledge_bases", primary_key=True),
    Column("subject", String, primary_key=True),  # a person's id or "group:" and a name
    kinds.string("role"),
    Index(None, "subject"),
)

ended_sessions = Table(
    "ended_sessions",  # sign-ins that were signed out: their cookies are no longer accepted
    METADATA,
    Column("digest", String, primary_key=True),
    kinds.time("ended_at"),
)

audit = Table(
    "audit",  # who did what; no contents
    METADATA,
    kinds.position(),
    kinds.time("at"),
    kinds.string("person_id"),
    kinds.string("action"),
    kinds.string("target"),
    Index(None, "person_id", "at"),
)
