"""One connection to a store that any thread may use, opened again where it was lost."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import RLock
from typing import Any, TypeVar

from ifonly.serve.store.database import Database
from ifonly.serve.store.schema import migrate, outdated

T = TypeVar("T")


class Session:
    """Runs statements, alone or as transactions; errors of the driver become those of ifonly.

    Parameters
    ----------
    database
        Where the store lies.
    create
        Whether its tables are made where there are none.
    """

    def __init__(self, database: Database, create: bool) -> None:
        self.database = database
        self._create = create
        self._lock = RLock()
        self._connection: Any = None

    def run(self, sql: str, values: Any = (), *, many: bool = False) -> list[Any]:
        """The lines that a statement returns; only inside of `read` and `write`."""
        cursor = self.database.run(self._connection, sql, values, many=many)
        return list(cursor) if cursor.description and not many else []

    def read(self, act: Callable[[], T]) -> T:
        """Act on a connection, and once more where that was lost.

        Raises
        ------
        StoreError
            The database refuses; the message says why.
        """
        with self._lock:
            for again in (True, False):
                try:
                    self._connect()
                    return act()
                except self.database.errors as error:
                    lost = self.database.lost(error)
                    if lost:
                        self.close()
                    if not (lost and again):
                        raise self.database.failure(error) from error
            raise AssertionError("the second time returns or raises")

    def write(self, act: Callable[[], T]) -> T:
        """Act in one transaction, beside which no other writes.

        Raises
        ------
        StoreError
            As for `read`; nothing was written.
        """
        return self.read(partial(self._transact, act))

    def scrub(self) -> None:
        """Overwrite what was deleted."""
        self.read(lambda: self.database.scrub(self._connection))

    def close(self) -> None:
        """Close the connection; the next statement opens another."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
            self._connection = None

    def _transact(self, act: Callable[[], T]) -> T:
        try:
            for statement in self.database.begin:
                self.run(statement)
            result = act()
            self.run("COMMIT")
            return result
        except BaseException:
            try:
                self.run("ROLLBACK")
            except self.database.errors:
                self.close()  # what has begun ends with the connection
            raise

    def _connect(self) -> None:
        """Open a connection where there is none, and bring the tables up to date."""
        if self._connection is not None:
            return
        self._connection = connection = self.database.connect(self._create)
        try:
            if outdated(self.database, connection, self._create):
                self._transact(lambda: migrate(self.database, connection, self._create))
        except BaseException:
            self.close()
            raise
