"""What a graph file said of an entity: its id there, how it was aligned, where."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.add_column("mentions", sa.Column("origin", sa.JSON(), nullable=True))
