"""The two databases that can hold records, and all in which they differ.

A database opens connections, takes the lock under which everything is written, spells the types of
columns, and says in one sentence what an error of its driver means.
"""

from __future__ import annotations

import os
import re
import sqlite3
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeAlias
from urllib.parse import urlsplit

from ifonly.errors import MissingExtra, OptionError, StoreError

WAIT = 10.0
"""The most seconds to wait for others that write."""
OPTIONS = (
    "synchronous = FULL",  # a commit is on disk
    "fullfsync = ON",  # on macOS too
    "secure_delete = ON",  # what is deleted is overwritten
    "trusted_schema = OFF",  # nothing that a file defines is run
)
"""What a connection to SQLite is set to."""
_LOCK = 0x69666F6E6C79
"""The advisory lock of PostgreSQL under which a store is written: 'ifonly'."""


@dataclass(frozen=True)
class SQLite:
    """A file, with a log of what is written beside it (WAL)."""

    path: Path
    begin = ("BEGIN IMMEDIATE",)
    """The statements that begin a transaction that writes: no other runs beside it."""
    types: ClassVar = {"whole": "INTEGER", "bytes": "BLOB"}
    """What the columns of whole numbers and of bytes are."""
    tables = "SELECT name FROM sqlite_master WHERE type = 'table'"
    """The statement that lists the names of the tables."""
    own = True
    """Whether the tables of a store stand alone: a file with others is something else."""
    errors = sqlite3.Error
    """What the driver raises."""

    @property
    def name(self) -> str:
        """How messages call it: the path."""
        return str(self.path)

    def connect(self, create: bool) -> sqlite3.Connection:
        """A connection that has each commit on disk when it returns.

        A statement is committed at once, unless a transaction has begun.
        """
        if not create and not self.path.is_file():
            raise StoreError(f"There is no store {self.name!r}.", "Name the file of records.")
        with suppress(OSError):  # rows are personal; what cannot be made, SQLite refuses below
            os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(
            self.path, timeout=WAIT, isolation_level=None, check_same_thread=False
        )
        try:
            _use_log(connection)
            for option in OPTIONS:
                connection.execute(f"PRAGMA {option}")
        except sqlite3.Error:
            connection.close()
            raise
        return connection

    def run(
        self, connection: sqlite3.Connection, sql: str, values: Any = (), *, many: bool = False
    ) -> sqlite3.Cursor:
        """Run a statement with a `?` for each value, or once for each of many rows of values."""
        return connection.executemany(sql, values) if many else connection.execute(sql, values)

    def lost(self, error: Exception) -> bool:
        """Whether another connection may work: never, for a file."""
        return False

    def failure(self, error: Exception) -> StoreError:
        """What an error of SQLite means, by its primary code."""
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        what, hint = _MEANINGS.get(code, (f"failed: {error}", ""))
        return StoreError(f"The store {self.name!r} {what}.", hint)

    def scrub(self, connection: sqlite3.Connection) -> None:
        """Overwrite what was deleted: write the file anew, and empty the log."""
        connection.execute("VACUUM")
        busy, *_ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StoreError(
                f"The store {self.name!r} is read by another process, so that its log still holds "
                "what was erased.",
                "Run this again when nothing reads the store.",
            )


def _use_log(connection: sqlite3.Connection) -> None:
    """Switch to WAL; SQLite does not wait by itself for others that switch at the same time."""
    until = time.monotonic() + WAIT
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            busy = error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
            if not busy or time.monotonic() > until:
                raise
            time.sleep(0.01)


_ROOM = "Make room on the disk; nothing of this was written, and the next record is."
_LATE = "See which process holds it. Nothing of this was written; it can be asked again."
_MEANINGS = {
    sqlite3.SQLITE_FULL: ("cannot be written: the disk is full", _ROOM),
    sqlite3.SQLITE_IOERR: ("cannot be written or read: the disk is full or failed", _ROOM),
    sqlite3.SQLITE_READONLY: ("is read-only", "Give this user the right to write it."),
    sqlite3.SQLITE_BUSY: (f"was locked by another process for {WAIT:g} seconds", _LATE),
    sqlite3.SQLITE_LOCKED: ("is locked", _LATE),
    sqlite3.SQLITE_NOTADB: ("is not a file of SQLite", "Name a new file, or a store."),
    sqlite3.SQLITE_CORRUPT: ("is damaged", "Restore it from a backup, and verify it."),
    sqlite3.SQLITE_CANTOPEN: ("cannot be opened", "Is there such a folder, and may it be written?"),
}


@dataclass(frozen=True)
class PostgreSQL:
    """A database of a PostgreSQL server, which several servers may share."""

    url: str
    begin = (
        "BEGIN",
        f"SET LOCAL lock_timeout = '{WAIT:g}s'",
        f"SELECT pg_advisory_xact_lock({_LOCK})",
    )
    types: ClassVar = {"whole": "BIGINT", "bytes": "BYTEA"}
    tables = "SELECT relname FROM pg_class WHERE relkind = 'r' AND pg_table_is_visible(oid)"
    own = False

    @property
    def name(self) -> str:
        """The URL without user, password and options."""
        parts = urlsplit(self.url)
        return f"postgresql://{parts.hostname or ''}{parts.path}"

    @property
    def errors(self) -> type[Exception]:
        """What psycopg raises."""
        error: type[Exception] = _psycopg().Error
        return error

    def connect(self, create: bool) -> Any:
        """A connection that waits for the disk, whatever the server's default is."""
        options = {} if "connect_timeout=" in self.url else {"connect_timeout": int(WAIT)}
        connection = _psycopg().connect(self.url, autocommit=True, **options)
        connection.execute(
            "SELECT set_config('synchronous_commit', 'on', false) "
            "WHERE current_setting('synchronous_commit') = 'off'"
        )
        return connection

    def run(self, connection: Any, sql: str, values: Any = (), *, many: bool = False) -> Any:
        """Run a statement; psycopg writes %s for ?."""
        cursor = connection.cursor()
        (cursor.executemany if many else cursor.execute)(sql.replace("?", "%s"), values)
        return cursor

    def lost(self, error: Exception) -> bool:
        """Whether the server ended the connection, or cannot be reached."""
        psycopg = _psycopg()
        state = getattr(error, "sqlstate", None)
        ended = state is None or state.startswith(("08", "57P"))
        return ended and isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)

    def failure(self, error: Exception) -> StoreError:
        """What an error of PostgreSQL means, by its SQLSTATE."""
        state = getattr(error, "sqlstate", None) or ""
        what, hint = _STATES.get(state, (f"failed ({state})", ""))
        if self.lost(error):
            what = "cannot be reached: " + str(error).strip().splitlines()[0].rstrip(".")
            hint = "Is the server running, and is the URL right?"
        elif not state:
            what, hint = "cannot be opened", "Is the URL right?"
        return StoreError(f"The store {self.name!r} {what}.", hint)

    def scrub(self, connection: Any) -> None:
        """Free the space of deleted rows; the server's log (WAL) goes as the server has it."""
        connection.execute("VACUUM FULL ifonly_rows")
        connection.execute("VACUUM FULL ifonly_replies")


_STATES = {
    "53100": ("cannot be written: the server's disk is full", _ROOM),
    "25006": ("is read-only", "Is this a standby? Name the primary server."),
    "42501": ("may not be used by this user", "Grant the user CREATE on the schema."),
    "55P03": (f"was locked by another server for {WAIT:g} seconds", _LATE),
    "28P01": ("refuses the password", "Set it in the URL, in PGPASSWORD or in ~/.pgpass."),
    "3D000": ("is not there: the server has no such database", "Create it: createdb NAME."),
}


Database: TypeAlias = SQLite | PostgreSQL
"""Where a store lies."""


def _psycopg() -> Any:
    try:
        import psycopg
    except ImportError:
        raise MissingExtra("psycopg", "postgres") from None
    return psycopg


def database_of(url: str | Path) -> Database:
    """The database that a URL or a path names."""
    text = str(url)
    if re.match(r"postgres(ql)?://", text):
        return PostgreSQL(text)
    if "://" in text and not text.startswith("sqlite:///"):
        raise OptionError(
            f"A store cannot be opened by {text.split('://')[0] + '://'!r}.",
            "Give a path, sqlite:///PATH, or postgresql://USER@HOST/NAME.",
        )
    return SQLite(Path(text.removeprefix("sqlite:///")))
