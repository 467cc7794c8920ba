"""Every table.

The revision is that of the last of the migrations that this one replaced, so a database that they made opens unchanged.
"""

from alembic import op

from core.platform.sql.schema import METADATA

revision = "0022"
down_revision = None


def upgrade() -> None:
    METADATA.create_all(op.get_bind(), checkfirst=False)
