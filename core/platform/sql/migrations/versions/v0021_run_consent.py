"""What somebody answered to a run's question in another process."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    op.add_column("runs", sa.Column("consent", sa.String(), server_default=sa.text("''"), nullable=False))
