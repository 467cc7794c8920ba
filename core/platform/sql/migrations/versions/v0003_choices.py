"""What people choose: classes of a base, parser of a document, edited chunks, web consent; what ingestion cost."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("knowledge_bases", sa.Column("entity_types", sa.JSON(), server_default="[]", nullable=False))
    op.add_column("documents", sa.Column("parser_choice", sa.String(), nullable=True))
    op.add_column("documents", sa.Column("paused", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("documents", sa.Column("replaces", sa.String(), nullable=True))
    op.add_column("documents", sa.Column("estimate", sa.JSON(), nullable=True))
    op.add_column("documents", sa.Column("spent", sa.JSON(), nullable=True))
    op.add_column("chunks", sa.Column("original", sa.Text(), nullable=True))
    op.add_column("threads", sa.Column("web_allowed", sa.Boolean(), nullable=True))
