"""Keys of the HTTP interface, and the sessions that programs name themselves."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("hint", sa.String(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("digest", name=op.f("uq_api_keys_digest")),
    )
    op.create_table(
        "api_sessions",
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("key_id", sa.String(), nullable=False),
        sa.Column("thread_id", sa.String(), nullable=False),
        _owner("key_id", "api_keys"),
        _owner("thread_id", "threads"),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_api_sessions")),
    )


def _owner(column: str, of: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_api_sessions_{column}_{of}")
    return sa.ForeignKeyConstraint([column], [f"{of}.id"], ondelete="CASCADE", name=name)
