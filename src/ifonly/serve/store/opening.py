"""A store of decision records, opened by its address."""

from __future__ import annotations

from pathlib import Path

from ifonly.errors import StoreError
from ifonly.serve.store.chain import Sign
from ifonly.serve.store.database import database_of
from ifonly.serve.store.store import Store


def open_store(
    url: str | Path, *, key: bytes | None = None, create: bool = True, sign: Sign | None = None
) -> Store:
    """Open the store of decision records, and make it where it is not there yet.

    Parameters
    ----------
    url
        A path or sqlite:///PATH for a file; postgresql://USER@HOST/NAME for a database that
        several servers share.
    key
        The secret of the rows' hashes. A store has one key: another one is refused.
    create
        False: refuse what is no store yet.
    sign
        What signs each record that is appended: it gets the record and returns it with a
        signature, as `ifonly.contract.records.signing.signed` does.

    Returns
    -------
    Store

    Raises
    ------
    StoreError
        It cannot be opened, is something else, or was written by a newer ifonly.
    MissingExtra
        It is a PostgreSQL, and psycopg is not installed.

    Examples
    --------
    >>> open_store("nowhere.db", create=False)
    Traceback (most recent call last):
    ...
    ifonly.errors.StoreError: There is no store 'nowhere.db'.
    <BLANKLINE>
    Hint: Name the file of records.
    """
    store = Store(database_of(url), create=create, sign=sign)
    try:
        if key is not None:
            store.check_key(key, adopt=create)
    except StoreError:
        store.close()
        raise
    return store
