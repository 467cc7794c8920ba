"""Who edited the graph, and when documents came and went and edits were undone."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0013"


def upgrade() -> None:
    op.add_column("graph_edits", sa.Column("actor", sa.Text(), server_default=sa.text("''"), nullable=False))
    op.create_table(
        "graph_events",
        sa.Column("position", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("base_id", sa.String(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["base_id"],
            ["knowledge_bases.id"],
            name=op.f("fk_graph_events_base_id_knowledge_bases"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_graph_events")),
    )
    op.create_index(op.f("ix_graph_events_base_id_position"), "graph_events", ["base_id", "position"])
