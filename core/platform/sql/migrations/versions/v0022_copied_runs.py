"""Which run a run of a forked conversation is a copy of, so that both count once."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"

FIGURES = (
    "purpose",
    "started_at",
    "workflow",
    "engine",
    "status",
    "outcome",
    "base_id",
    "seconds",
    "prompt_tokens",
    "completion_tokens",
    "tokens_estimated",
    "thread_id",
)
EARLIER_FORKS = """
UPDATE runs SET copied_from = COALESCE((
  SELECT original.id FROM runs AS original
  WHERE original.purpose = 'chat' AND original.started_at = runs.started_at
    AND original.question = runs.question AND original.position < runs.position
  ORDER BY original.position LIMIT 1
), '') WHERE purpose = 'chat'
"""
"""A copy began in the same microsecond as its original."""


def upgrade() -> None:
    op.add_column("runs", sa.Column("copied_from", sa.String(), server_default=sa.text("''"), nullable=False))
    op.execute(EARLIER_FORKS)
    op.drop_index("ix_runs_figures", "runs")
    op.create_index("ix_runs_figures", "runs", [*FIGURES, "copied_from"])
    op.create_index(op.f("ix_runs_copied_from"), "runs", ["copied_from"])
