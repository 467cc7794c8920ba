"""Processes with data folders of their own: leases, submitted documents, changes of the index, shared settings."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_table(
        "process_leases",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("left", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_process_leases")),
    )
    op.create_table(
        "submitted_documents",
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        _owner("submitted_documents", "document_id", "documents"),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_submitted_documents")),
    )
    op.create_index(op.f("ix_submitted_documents_position"), "submitted_documents", ["position"])
    op.create_table(
        "shared_settings",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=True),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_shared_settings")),
    )
    _index_changes()


def _index_changes() -> None:
    """What is published already counts as changed by the present version."""
    op.create_table(
        "index_changes",
        sa.Column("base_id", sa.String(), nullable=False),
        sa.Column("document_id", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        _owner("index_changes", "base_id", "knowledge_bases"),
        sa.PrimaryKeyConstraint("base_id", "document_id", name=op.f("pk_index_changes")),
    )
    op.create_index(op.f("ix_index_changes_base_id_version"), "index_changes", ["base_id", "version"])
    op.execute(
        "INSERT INTO index_changes (base_id, document_id, version) "
        "SELECT documents.base_id, documents.id, knowledge_bases.index_version FROM documents "
        "JOIN knowledge_bases ON knowledge_bases.id = documents.base_id WHERE documents.ready_at IS NOT NULL"
    )


def _owner(table: str, column: str, of: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{of}.id"], ondelete="CASCADE", name=op.f(f"fk_{table}_{column}_{of}"))
