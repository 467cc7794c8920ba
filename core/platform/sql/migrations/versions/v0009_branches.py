"""Conversations with branches, pins and folders; feedback; what became of memories; what the reader last chose."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

_CHAINED = """
UPDATE runs SET parent_id = COALESCE((
    SELECT earlier.id FROM runs AS earlier
    WHERE earlier.thread_id = runs.thread_id AND earlier.position < runs.position
    ORDER BY earlier.position DESC LIMIT 1
), '')
"""
_NEWEST = """
UPDATE threads SET leaf_id = COALESCE((
    SELECT runs.id FROM runs WHERE runs.thread_id = threads.id ORDER BY runs.position DESC LIMIT 1
), '')
"""


_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    _add_columns()
    op.execute(_CHAINED)
    op.execute(_NEWEST)
    _create_preferences()
    _create_question_vectors()
    _create_feedback()
    _create_memory_uses()
    _create_memory_changes()


def _create_preferences() -> None:
    op.create_table(
        "preferences",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_preferences")),
    )


def _add_columns() -> None:
    yes_or_no = sa.Boolean()
    op.add_column("threads", sa.Column("leaf_id", sa.String(), server_default=sa.text("''"), nullable=False))
    op.add_column("threads", sa.Column("pinned", yes_or_no, server_default=sa.false(), nullable=False))
    op.add_column("threads", sa.Column("folder", sa.Text(), server_default=sa.text("''"), nullable=False))
    op.add_column("threads", sa.Column("deleted_at", _TIME, nullable=True))
    op.add_column("runs", sa.Column("parent_id", sa.String(), server_default=sa.text("''"), nullable=False))
    op.add_column("runs", sa.Column("options", sa.JSON(), server_default="{}", nullable=False))
    op.add_column("memories", sa.Column("expires_at", _TIME, nullable=True))
    op.add_column("memories", sa.Column("superseded_by", sa.String(), server_default=sa.text("''"), nullable=False))
    op.add_column("memories", sa.Column("in_thread_only", yes_or_no, server_default=sa.false(), nullable=False))
    op.add_column("memories", sa.Column("reason", sa.Text(), server_default=sa.text("''"), nullable=False))


def _create_question_vectors() -> None:
    op.create_table(
        "question_vectors",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("embedder", sa.String(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_question_vectors")),
        sa.ForeignKeyConstraint(
            ["run_id"], ["runs.id"], name=op.f("fk_question_vectors_run_id_runs"), ondelete="CASCADE"
        ),
    )


def _create_feedback() -> None:
    op.create_table(
        "feedback",
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("complaint", sa.String(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("given_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_feedback")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_feedback_run_id_runs"), ondelete="CASCADE"),
    )


def _create_memory_uses() -> None:
    op.create_table(
        "memory_uses",
        sa.Column("memory_id", sa.String(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("used_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("memory_id", "run_id", name=op.f("pk_memory_uses")),
        sa.ForeignKeyConstraint(
            ["memory_id"], ["memories.id"], name=op.f("fk_memory_uses_memory_id_memories"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_memory_uses_run_id_runs"), ondelete="CASCADE"),
    )
    op.create_index(op.f("ix_memory_uses_run_id"), "memory_uses", ["run_id"])


def _create_memory_changes() -> None:
    op.create_table(
        "memory_changes",
        sa.Column("position", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("memory_id", sa.String(), nullable=False),
        sa.Column("changed_at", _TIME, nullable=False),
        sa.Column("change", sa.String(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_memory_changes")),
        sa.ForeignKeyConstraint(
            ["memory_id"], ["memories.id"], name=op.f("fk_memory_changes_memory_id_memories"), ondelete="CASCADE"
        ),
    )
    op.create_index(op.f("ix_memory_changes_memory_id"), "memory_changes", ["memory_id"])
