"""Alembic's entry: runs on the connection that `control.io.migrate` opened, in its one transaction."""

from alembic import context

from control.schema import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    transactional_ddl=True,
    render_as_batch=True,
)
context.run_migrations()
