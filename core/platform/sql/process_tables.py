"""Tables by which processes with data folders of their own work together."""

from sqlalchemy import Boolean, Column, Index, Integer, String, Table, false

from core.platform.sql import column_types as kinds
from core.platform.sql.column_types import METADATA
from core.platform.sql.columns import UtcTime

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
