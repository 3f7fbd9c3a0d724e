"""Adapter to the database: engine, migration, transactions and the database clock. Foreign errors are mapped here.

Calls are synchronous; servers run them in a thread (`asyncio.to_thread`). SQLite takes its write lock when a writing transaction
begins, so that two processes wait for each other instead of failing half-way.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from sqlalchemy.engine import make_url
from sqlalchemy.orm import Session

from topics.errors import Invalid, Retry

BUSY_TIMEOUT_S: Final = 10
_MIGRATION_LOCK: Final = 0x61646361  # "adca": PostgreSQL's advisory lock of our migration
_REGISTRATION_LOCK: Final = _MIGRATION_LOCK + 1
_CLOCK_MS: Final = {
    "sqlite": "SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
    "postgresql": "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)",
}


class DatabaseUnreachable(Retry):
    """The database does not answer, or was too busy to answer in time."""


class Database:
    """Transactions on one database.

    Args:
        url: SQLAlchemy URL of SQLite or PostgreSQL (psycopg).
        clock: replaces the database's clock in tests of time.
    """

    def __init__(self, url: str, *, clock: Callable[[], int] | None = None) -> None:
        self._engine = _engine(url)
        self._clock = clock
        self._writing = self._engine.execution_options(adcat_write=True)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """A transaction that only reads."""
        with _mapped(self._engine), Session(self._engine) as session, session.begin():
            yield session

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """A transaction that commits as a whole or not at all."""
        with _mapped(self._engine), Session(self._writing) as session, session.begin():
            yield session

    def now_ms(self) -> int:
        """Returns the database clock in ms, read in a transaction of its own: everything committed before is visible after."""
        with self.reading() as session:
            return self.clock_ms(session)

    def clock_ms(self, session: Session) -> int:
        """Returns the database clock in ms inside a transaction."""
        if self._clock is not None:
            return self._clock()
        return int(session.execute(sa.text(_CLOCK_MS[self._engine.dialect.name])).scalar_one())

    def serialize(self, session: Session) -> None:
        """Lets one such transaction in at a time; for rules over several merchants' rows, which no row lock covers."""
        if self._engine.dialect.name == "postgresql":
            session.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _REGISTRATION_LOCK})

    def close(self) -> None:
        """Closes the pooled connections."""
        self._engine.dispose()


def migrate(url: str) -> None:
    """Upgrades the schema to head, in one transaction; processes that start together wait for each other.

    Raises:
        DatabaseUnreachable: no database answers.
        Invalid: the URL names a database that is not supported.
    """
    engine = _engine(url)
    try:
        with _mapped(engine), engine.execution_options(adcat_write=True).begin() as connection:
            if engine.dialect.name == "postgresql":
                connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
            config = Config()
            config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    finally:
        engine.dispose()


def _engine(text: str) -> sa.Engine:
    try:
        url = make_url(text)
    except sa.exc.ArgumentError:
        raise Invalid(
            "database_url", text, "write sqlite:///<path> or postgresql+psycopg://<user>@<host>/<name>"
        ) from None
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in _CLOCK_MS:
        remedy = "use sqlite:///<path> or postgresql+psycopg://<user>@<host>/<name>"
        raise Invalid("database_url", url.render_as_string(hide_password=True), remedy)
    if url.get_backend_name() == "postgresql":
        return sa.create_engine(url, pool_pre_ping=True, connect_args={"connect_timeout": BUSY_TIMEOUT_S})
    if url.database not in (None, "", ":memory:"):
        Path(str(url.database)).parent.mkdir(parents=True, exist_ok=True)
    engine = sa.create_engine(url, connect_args={"timeout": BUSY_TIMEOUT_S})
    sa.event.listen(engine, "connect", _prepare_sqlite)
    sa.event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # pysqlite must not begin transactions on its own
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: sa.Connection) -> None:
    write = connection.get_execution_options().get("adcat_write", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


@contextmanager
def _mapped(engine: sa.Engine) -> Iterator[None]:
    try:
        yield
    except sa.exc.OperationalError as error:
        where = engine.url.render_as_string(hide_password=True)
        raise DatabaseUnreachable(f"the database at {where} does not answer: {error.orig}") from error
