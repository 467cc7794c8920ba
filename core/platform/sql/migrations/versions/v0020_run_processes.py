"""Which process answers a run, whether it is to stop, and what another process needs to take it over."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0016"


def upgrade() -> None:
    op.add_column("runs", sa.Column("process", sa.String(), server_default=sa.text("''"), nullable=False))
    op.add_column("runs", sa.Column("stop_wished", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.add_column("runs", sa.Column("asked", sa.JSON(), nullable=True))
