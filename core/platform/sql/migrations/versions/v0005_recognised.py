"""How surely the text of a block was recognised in a picture."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("blocks", sa.Column("confidence", sa.Float(), nullable=True))
