"""What Alembic runs: the migrations, on the connection and in the transaction it was given."""

from alembic import context

from core.platform.sql.schema import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    transactional_ddl=True,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
