"""Tables of an installation: API keys, people, shares, the audit log, and processes that work together."""

from sqlalchemy import Boolean, Column, Index, Integer, String, Table, false

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


process_leases = Table(
    "process_leases",
    METADATA,
    kinds.id(),
    kinds.string("kind"),  # app, worker or command
    kinds.words("host"),
    kinds.time("started_at"),
    kinds.time("seen_at"),
    Column("left", Boolean, nullable=False, server_default=false()),  # ended in good order
)

submitted_documents = Table(
    "submitted_documents",  # on their way to the durable engine
    METADATA,
    kinds.owner("document_id", "documents", primary_key=True),
    Column("position", Integer, nullable=False),
    Index(None, "position"),
)

index_changes = Table(
    "index_changes",  # what replicas of the word index follow: the version of the base that changed a document last
    METADATA,
    kinds.owner("base_id", "knowledge_bases", primary_key=True),
    Column("document_id", String, primary_key=True),  # also of a deleted one
    kinds.integer("version"),
    Index(None, "base_id", "version"),
)

shared_settings = Table(
    "shared_settings",
    METADATA,
    Column("name", String, primary_key=True),
    Column("value", String),  # encrypted; None where the environment's value applies again
    kinds.integer("version"),  # rises with every change of any of them
    Column("changed_at", UtcTime, nullable=False),
)
