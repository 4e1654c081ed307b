"""The tables of a store, and the steps from each version to the next."""

from __future__ import annotations

from typing import Any

from ifonly.errors import StoreError
from ifonly.serve.store.database import Database

MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        "CREATE TABLE ifonly_store (version {whole} NOT NULL, key_check TEXT)",
        "INSERT INTO ifonly_store (version) VALUES (0)",
        """CREATE TABLE ifonly_entries (
            number {whole} PRIMARY KEY,
            hash TEXT NOT NULL UNIQUE,
            previous TEXT NOT NULL UNIQUE,
            time TEXT NOT NULL,
            covered TEXT NOT NULL,
            signature TEXT
        )""",
        "CREATE INDEX ifonly_entries_time ON ifonly_entries (time)",
        "CREATE TABLE ifonly_rows (number {whole} PRIMARY KEY, content TEXT NOT NULL)",
        """CREATE TABLE ifonly_replies (
            token TEXT NOT NULL,
            key TEXT NOT NULL,
            request_hash TEXT NOT NULL,
            status {whole} NOT NULL,
            body {bytes} NOT NULL,
            time TEXT NOT NULL,
            PRIMARY KEY (token, key)
        )""",
    ),
)
"""What makes each version of the one before; version 0 has nothing. Never change a step: add one.

`previous` is unique, so that the database itself refuses a chain that forks.
"""


def outdated(database: Database, connection: Any, create: bool) -> bool:
    """Whether the tables are of an older version than this code; refuse those of a newer one."""
    return version_of(database, connection, create) < len(MIGRATIONS)


def version_of(database: Database, connection: Any, create: bool) -> int:
    """The version of the tables; 0 where there are none yet and they may be made."""
    names = {name for (name,) in database.run(connection, database.tables)}
    if "ifonly_store" not in names:
        other = bool(names) and database.own
        if create and not other:
            return 0
        what = "is a database of something else" if other else "holds no records"
        raise StoreError(f"{database.name!r} {what}.", "Name the store of a service.")
    ((version,),) = database.run(connection, "SELECT version FROM ifonly_store")
    if version > len(MIGRATIONS):
        raise StoreError(
            f"The store {database.name!r} has version {version}, and this ifonly knows "
            f"{len(MIGRATIONS)}.",
            "Install the version of ifonly that wrote it, or a newer one.",
        )
    return int(version)


def migrate(database: Database, connection: Any, create: bool) -> None:
    """Bring the tables to the version of this code, in a transaction that no other runs beside."""
    version = version_of(database, connection, create)  # another one may have been first
    for statement in (one for step in MIGRATIONS[version:] for one in step):
        database.run(connection, statement.format(**database.types))
    database.run(connection, "UPDATE ifonly_store SET version = ?", (len(MIGRATIONS),))
