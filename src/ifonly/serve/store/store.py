"""The store: decision records are appended to a chain, and are on disk when `append` returns."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from functools import partial

from ifonly.contract import DecisionRecord
from ifonly.contract.records.decision_record import NONE
from ifonly.errors import StoreError
from ifonly.serve.store.chain import Part as Part
from ifonly.serve.store.chain import Sign, linked
from ifonly.serve.store.database import Database
from ifonly.serve.store.entry import Entry, Head, Kept, KeyReused, Written, stamp
from ifonly.serve.store.session import Session

PAGE = 500
"""How many entries are read at once."""
FIRST = -(2**62)
"""A number that is before every entry, also before one that somebody planted."""


class Store:
    """Decision records in a database; `open_store` opens one. Any thread may call it.

    Parameters
    ----------
    database
        Where it is: SQLite or PostgreSQL.
    create
        Whether to make it where it is not there yet.
    sign
        What signs each record that is appended.

    Examples
    --------
    >>> import tempfile
    >>> from ifonly.serve.store import open_store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = open_store(f"{folder}/records.db")
    ...     print(store.head())
    ...     store.close()
    0:0000000000000000000000000000000000000000000000000000000000000000
    """

    def __init__(
        self, database: Database, *, create: bool = True, sign: Sign | None = None
    ) -> None:
        self.database = database
        self._sign = sign
        self._session = Session(database, create)
        self._session.read(lambda: None)

    def append(self, records: Sequence[DecisionRecord], *, reply: Kept | None = None) -> Written:
        """Append records to the chain, all or none, and keep the reply beside them.

        Parameters
        ----------
        records
            In their order; their `previous` is set here.
        reply
            The reply to keep under the key of its request. Where one is kept already, nothing is
            written, and `reply` of the result is that one.

        Returns
        -------
        Written
            It is on disk.

        Raises
        ------
        KeyReused
            The key was used before, for another request.
        StoreError
            It cannot be written; nothing was, and the next append may be.
        """
        (written,) = self.append_all([(records, reply)])
        if isinstance(written, KeyReused):
            raise written
        return written

    def append_all(self, parts: Sequence[Part]) -> list[Written | KeyReused]:
        """Several appends in one transaction: the disk is waited for once.

        Parameters
        ----------
        parts
            Records, and the reply to keep with them or None, for each append.

        Returns
        -------
        list of Written or KeyReused
            What each has done; one whose key was used for another request stops no other.

        Raises
        ------
        StoreError
            Nothing of it can be written.
        """
        last, done = "", list[Written | KeyReused]()

        def write() -> list[Written | KeyReused]:
            nonlocal last, done
            if last and self._session.run("SELECT 1 FROM ifonly_entries WHERE hash = ?", (last,)):
                return done  # the connection was lost after all of it was written
            before = self._head()
            known = self._kept(reply for _, reply in parts if reply is not None)
            head, done, lines = linked(parts, before, known, self._sign)
            for table, some in lines.items():
                if some:
                    places = ", ".join("?" * len(some[0]))
                    sql = f"INSERT INTO ifonly_{table} VALUES ({places})"
                    self._session.run(sql, some, many=True)
            last = head.hash if head != before else ""
            return done

        return self._session.write(write)

    def replay(self, token: str, key: str, request_hash: str) -> Kept | None:
        """The reply that is kept under a key; None where the key is new.

        Raises
        ------
        KeyReused
            The key was used before, for another request.
        """
        asked = Kept(key, token, request_hash, 0, b"")
        known = self._session.read(lambda: self._kept([asked])).get((token, key))
        return None if known is None else known.of(request_hash)

    def head(self) -> Head:
        """How many entries there are, and the hash of the last.

        Returns
        -------
        Head
        """
        return self._session.read(self._head)

    def entries(self, after: int = FIRST) -> Iterator[Entry]:
        """The entries in their order, read page by page.

        Parameters
        ----------
        after
            The number of an entry: those after it are read.

        Returns
        -------
        iterator of Entry

        Raises
        ------
        StoreError
            The store cannot be read, or somebody else has written into it.
        """
        sql = """
            SELECT e.number, e.hash, e.previous, e.time, e.covered, e.signature, r.content
            FROM ifonly_entries e LEFT JOIN ifonly_rows r ON r.number = e.number
            WHERE e.number > ? ORDER BY e.number LIMIT ?"""
        while page := self._session.read(partial(self._session.run, sql, (after, PAGE))):
            for line in page:
                if not isinstance(line[0], int):  # SQLite holds anything anywhere
                    what = f"has an entry with the number {line[0]!r:.60}"
                    raise StoreError(f"The store {self.database.name!r} {what}.", "Restore it.")
                yield Entry(*line)
            after = page[-1][0]

    def extent(self, last: int) -> tuple[int, list[int]]:
        """How many entries there are up to a number, and the rows that have no entry."""
        loose = """
            SELECT r.number FROM ifonly_rows r LEFT JOIN ifonly_entries e ON e.number = r.number
            WHERE e.number IS NULL ORDER BY r.number"""
        count = "SELECT count(*) FROM ifonly_entries WHERE number <= ?"

        def read() -> tuple[int, list[int]]:
            lines = self._session.run(loose)
            return self._session.run(count, (last,))[0][0], [number for (number,) in lines]

        return self._session.read(read)

    def erase(self, before: datetime) -> tuple[int, int]:
        """Erase the rows and the kept replies from before a moment; the chain stays.

        Parameters
        ----------
        before
            A moment with a time zone.

        Returns
        -------
        tuple of int
            How many rows and how many replies were erased.

        Raises
        ------
        StoreError
            It cannot be written; what it says of the place on disk is then to be done again.
        """
        numbers = "number IN (SELECT number FROM ifonly_entries WHERE time < ?)"
        counts: list[int] = []

        def write() -> None:
            counts.clear()
            for table, where in (("rows", numbers), ("replies", "time < ?")):
                sql, limit = f"FROM ifonly_{table} WHERE {where}", (stamp(before),)
                counts.append(self._session.run(f"SELECT count(*) {sql}", limit)[0][0])
                self._session.run(f"DELETE {sql}", limit)

        self._session.write(write)
        try:
            self._session.scrub()
        except StoreError as error:
            what = "They are deleted, and the place where they were is not overwritten yet"
            raise StoreError(f"{what}: {error.message}", "Run this again.") from error
        return counts[0], counts[1]

    def check_key(self, key: bytes, *, adopt: bool = True) -> None:
        """Refuse a key that is not the one of the rows' hashes; the first to `adopt` is."""
        own = hmac.new(key, b"ifonly store", hashlib.sha256).hexdigest()

        def known() -> bool:
            ((first,),) = self._session.run("SELECT key_check FROM ifonly_store")
            if first is not None and not hmac.compare_digest(first, own):
                raise StoreError(
                    f"The store {self.database.name!r} was written with another key.",
                    "Give the key file that the first server made.",
                )
            return first is not None

        def write() -> None:
            if not known():
                self._session.run("UPDATE ifonly_store SET key_check = ?", (own,))

        if not self._session.read(known) and adopt:
            self._session.write(write)

    def close(self) -> None:
        """Close the connection."""
        self._session.close()

    def _kept(self, asked: Iterable[Kept]) -> dict[tuple[str, str], Kept]:
        """The replies that are kept under the tokens and keys of others."""
        pairs = [part for one in asked for part in (one.token, one.key)]
        if not pairs:
            return {}
        places = ", ".join(["(?, ?)"] * (len(pairs) // 2))
        sql = f"""
            SELECT key, token, request_hash, status, body FROM ifonly_replies
            WHERE (token, key) IN (VALUES {places})"""
        return {
            (token, key): Kept(key, token, request_hash, status, bytes(body))
            for key, token, request_hash, status, body in self._session.run(sql, pairs)
        }

    def _head(self) -> Head:
        lines = self._session.run(
            "SELECT number, hash FROM ifonly_entries ORDER BY number DESC LIMIT 1"
        )
        return Head(*lines[0]) if lines else Head(0, NONE)
