"""Drops the messages of conversations: each repeated the question or the answer of a run."""

from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.drop_table("messages", if_exists=True)  # the first migration makes today's tables, which have none
