"""What people changed in the graph, and a number that rises with it."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.add_column("knowledge_bases", sa.Column("graph_version", sa.Integer(), server_default="0", nullable=False))
    op.create_table(
        "graph_edits",
        sa.Column("position", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("base_id", sa.String(), nullable=False),
        sa.Column("batch", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("undone", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["base_id"], ["knowledge_bases.id"], name=op.f("fk_graph_edits_base_id_knowledge_bases"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_graph_edits")),
    )
    op.create_index(op.f("ix_graph_edits_base_id_position"), "graph_edits", ["base_id", "position"])
