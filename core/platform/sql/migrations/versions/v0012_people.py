"""Whose rows are, whom bases are shared with, who may use the app and what they did."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

_OWNED = ("threads", "memories", "api_keys", "question_lists")


def upgrade() -> None:
    for table in _OWNED:
        op.add_column(table, _owner())
    for table in ("threads", "memories"):
        op.create_index(op.f(f"ix_{table}_owner_id"), table, ["owner_id"])
    with op.batch_alter_table("knowledge_bases") as bases:
        bases.add_column(_owner())
        bases.drop_constraint("uq_knowledge_bases_name_norm", type_="unique")
        bases.create_unique_constraint("uq_knowledge_bases_owner_id_name_norm", ["owner_id", "name_norm"])
    _own_preferences()
    _create_people()


def _owner() -> sa.Column[str]:
    return sa.Column("owner_id", sa.String(), server_default=sa.text("''"), nullable=False)


def _own_preferences() -> None:
    kept = sa.table("preferences", sa.column("name"), sa.column("value", sa.JSON))
    rows = [{"owner_id": "", **row} for row in op.get_bind().execute(sa.select(kept)).mappings()]
    op.drop_table("preferences")
    made = op.create_table(
        "preferences",
        sa.Column("owner_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.JSON(), nullable=False),
        sa.PrimaryKeyConstraint("owner_id", "name", name=op.f("pk_preferences")),
    )
    op.bulk_insert(made, rows)


def _create_people() -> None:
    op.create_table(
        "people",
        _string("id"),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("admin", sa.Boolean(), nullable=False),
        _time("seen_at"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_people")),
    )
    of = op.f("fk_memberships_person_id_people")
    op.create_table(
        "memberships",
        _string("person_id"),
        _string("subject"),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], ondelete="CASCADE", name=of),
        sa.PrimaryKeyConstraint("person_id", "subject", name=op.f("pk_memberships")),
    )
    _create_shares()


def _create_shares() -> None:
    shared = op.f("fk_base_shares_base_id_knowledge_bases")
    op.create_table(
        "base_shares",
        _string("base_id"),
        _string("subject"),
        _string("role"),
        sa.ForeignKeyConstraint(["base_id"], ["knowledge_bases.id"], ondelete="CASCADE", name=shared),
        sa.PrimaryKeyConstraint("base_id", "subject", name=op.f("pk_base_shares")),
    )
    op.create_index(op.f("ix_base_shares_subject"), "base_shares", ["subject"])
    op.create_table(
        "ended_sessions",
        _string("digest"),
        _time("ended_at"),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_ended_sessions")),
    )
    op.create_table(
        "audit",
        sa.Column("position", sa.Integer(), autoincrement=True, nullable=False),
        _time("at"),
        _string("person_id"),
        _string("action"),
        _string("target"),
        sa.PrimaryKeyConstraint("position", name=op.f("pk_audit")),
    )
    op.create_index(op.f("ix_audit_person_id_at"), "audit", ["person_id", "at"])


def _string(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.String(), nullable=False)


def _time(name: str) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False)
