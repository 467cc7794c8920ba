"""What runs are for, an index of their figures, lists of questions with their evaluations, votes of the arena."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

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


def upgrade() -> None:
    for table in ("threads", "runs"):
        op.add_column(table, sa.Column("purpose", sa.String(), server_default="chat", nullable=False))
    op.create_index("ix_runs_figures", "runs", list(FIGURES))
    _create_lists()
    _create_evaluations()
    op.create_table(
        "arena_votes",
        sa.Column("thread_id", sa.String(), nullable=False),
        sa.Column("workflows", sa.JSON(), nullable=False),
        sa.Column("winner", sa.String(), nullable=False),
        sa.Column("voted_at", sa.DateTime(timezone=True), nullable=False),
        _owner("arena_votes", "thread_id", "threads"),
        sa.PrimaryKeyConstraint("thread_id", name=op.f("pk_arena_votes")),
    )


def _create_lists() -> None:
    op.create_table(
        "question_lists",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question_lists")),
    )
    op.create_table(
        "evaluation_cases",
        sa.Column("list_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("page", sa.Integer(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("declined", sa.Boolean(), nullable=False),
        _owner("evaluation_cases", "list_id", "question_lists"),
        sa.PrimaryKeyConstraint("list_id", "position", name=op.f("pk_evaluation_cases")),
    )


def _create_evaluations() -> None:
    op.create_table(
        "evaluations",
        sa.Column("position", sa.Integer(), autoincrement=True, nullable=False),
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("list_id", sa.String(), nullable=False),
        sa.Column("base_id", sa.String(), nullable=False),
        sa.Column("thread_id", sa.String(), nullable=False),
        sa.Column("workflows", sa.JSON(), nullable=False),
        sa.Column("cases", sa.JSON(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("owner", sa.String(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        _owner("evaluations", "list_id", "question_lists"),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_evaluations")),
        sa.UniqueConstraint("id", name=op.f("uq_evaluations_id")),
    )
    op.create_index(op.f("ix_evaluations_list_id"), "evaluations", ["list_id"])
    op.create_table(
        "evaluation_results",
        sa.Column("evaluation_id", sa.String(), nullable=False),
        sa.Column("case_id", sa.String(), nullable=False),
        sa.Column("workflow", sa.String(), nullable=False),
        sa.Column("run_id", sa.String(), nullable=False),
        sa.Column("engine", sa.Text(), nullable=False),
        sa.Column("ending", sa.String(), nullable=False),
        sa.Column("right_page", sa.Boolean(), nullable=True),
        sa.Column("right_answer", sa.Boolean(), nullable=True),
        sa.Column("sentences", sa.Integer(), nullable=False),
        sa.Column("supported", sa.Integer(), nullable=False),
        sa.Column("degraded", sa.Boolean(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=False),
        sa.Column("model_calls", sa.Integer(), nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=False),
        sa.Column("completion_tokens", sa.Integer(), nullable=False),
        sa.Column("tokens_estimated", sa.Boolean(), nullable=False),
        _owner("evaluation_results", "evaluation_id", "evaluations"),
        sa.PrimaryKeyConstraint("evaluation_id", "case_id", "workflow", name=op.f("pk_evaluation_results")),
    )


def _owner(table: str, column: str, of: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{of}")
    return sa.ForeignKeyConstraint([column], [f"{of}.id"], ondelete="CASCADE", name=name)
