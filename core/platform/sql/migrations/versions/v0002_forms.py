"""Documents can be marked as forms, which a reader downloads and fills in."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("documents", sa.Column("form", sa.Boolean(), server_default=sa.false(), nullable=False))
