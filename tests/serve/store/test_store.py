"""A store keeps what is appended, in one chain, whatever the database is."""

from __future__ import annotations

import stat
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import pytest

from ifonly.contract.records.decision_record import NONE
from ifonly.errors import FileError, MissingExtra, OptionError, StoreError
from ifonly.serve.store import Head, Kept, KeyReused, Store, open_store, read_key, schema, verify
from ifonly.serve.store import database as databases

from .conftest import KEY, NOON, Decide, sql


def test_records_come_back_as_they_were_appended(store: Store, decide: Decide, url: str) -> None:
    first = store.append([decide(10), decide(20, keep=False)]).records
    (third,) = store.append([decide(30, hour=1)]).records
    assert [one.previous for one in (*first, third)] == [NONE, first[0].hash, first[1].hash]
    again = open_store(url, key=KEY, create=False)
    assert again.head() == Head(3, third.hash)
    assert [entry.record for entry in again.entries()] == [*first, third]
    assert [entry.record for entry in again.entries(after=2)] == [third]
    assert not verify(again).faults
    again.close()


def test_a_reply_is_kept_with_its_records_and_a_repeated_request_adds_none(
    store: Store, decide: Decide
) -> None:
    reply = Kept("key", "bank", "hash", 200, b"\x00body")
    assert store.replay("bank", "key", "hash") is None
    assert store.append([decide()], reply=reply).reply == reply
    again = store.append([decide()], reply=Kept("key", "bank", "hash", 200, b"another"))
    assert (again.records, again.reply) == ((), reply)
    assert store.replay("bank", "key", "hash") == reply
    assert store.replay("other bank", "key", "hash") is None
    assert store.head().count == 1


def test_a_key_of_another_request_is_refused_and_stops_no_other(
    store: Store, decide: Decide, refused: Callable[..., Exception]
) -> None:
    store.append([decide()], reply=Kept("key", "bank", "hash", 200, b""))
    other = Kept("key", "bank", "another", 200, b"")
    hint = "a key of its own"
    refused(KeyReused, "'key'", hint=hint, ask=lambda: store.append([decide()], reply=other))
    refused(KeyReused, "'key'", hint=hint, ask=lambda: store.replay("bank", "key", "another"))
    new = Kept("new", "bank", "hash", 200, b"")
    written = store.append_all([([decide(20)], new), ([decide()], other), ([decide(30)], new)])
    assert isinstance(written[1], KeyReused)
    assert [len(one.records) for one in (written[0], written[2])] == [1, 0]
    assert store.head().count == 2


def test_any_number_of_appends_is_one_transaction(store: Store, decide: Decide) -> None:
    parts = [([], Kept(f"{i}", "bank", "hash", 200, b"first")) for i in range(1500)]
    store.append_all([*parts, ([decide()], None)])
    again = [([], Kept(f"{i}", "bank", "hash", 200, b"second")) for i in range(1500)]
    assert {one.reply.body for one in store.append_all(again)} == {b"first"}
    assert store.head().count == 1


def test_threads_of_one_server_share_a_store(store: Store, decide: Decide) -> None:
    records = [decide(hour=i) for i in range(20)]
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda record: store.append([record]), records))
    assert store.head().count == 20
    assert not verify(store).faults


def test_rows_and_replies_are_erased_and_the_chain_holds(store: Store, decide: Decide) -> None:
    store.append([decide(10, hour=hour) for hour in range(4)])
    store.append([], reply=Kept("key", "bank", "hash", 200, b"secret"))
    head = store.head()
    assert store.erase(NOON + timedelta(hours=2)) == (2, 0)
    assert [entry.row is None for entry in store.entries()] == [True, True, False, False]
    report = verify(store, head=head, key=KEY)
    assert (report.faults, report.head, report.rowless) == ([], head, 2)
    assert store.erase(NOON + timedelta(days=9999)) == (2, 1)
    assert store.replay("bank", "key", "hash") is None


def test_nothing_of_an_erased_row_is_left_in_the_file(tmp_path: Path, decide: Decide) -> None:
    path = tmp_path / "records.db"
    store = open_store(path)
    rows = [{"income": 10, "job": f"secret {i}"} for i in range(50)]
    store.append([decide().model_copy(update={"row": row}) for row in rows])
    row = b"secret 7"
    assert row in b"".join(one.read_bytes() for one in tmp_path.iterdir())
    store.erase(NOON + timedelta(days=1))
    assert row not in b"".join(one.read_bytes() for one in tmp_path.iterdir())
    assert store.head().count == 50
    store.close()


def test_a_store_has_one_key(store: Store, url: str, refused: Callable[..., Exception]) -> None:
    refused(StoreError, "another key", hint="key file", ask=lambda: open_store(url, key=b"z" * 32))
    open_store(url, key=KEY).close()
    sql(url, "UPDATE ifonly_store SET key_check = NULL")
    open_store(url, key=b"z" * 32, create=False).close()  # who only reads chooses none
    open_store(url, key=KEY).close()


def test_a_store_of_a_newer_version_is_refused(
    store: Store, url: str, refused: Callable[..., Exception]
) -> None:
    sql(url, "UPDATE ifonly_store SET version = 99")
    refused(StoreError, "version 99", hint="Install", ask=lambda: open_store(url))


def test_an_older_store_is_brought_up_to_date(
    store: Store, url: str, decide: Decide, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.append([decide()])
    step = ("ALTER TABLE ifonly_replies ADD COLUMN more {bytes}",)
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, step))
    for _ in range(2):
        again = open_store(url)
        assert again.head().count == 1
        again.close()
    assert sql(url, "SELECT version FROM ifonly_store") == [(2,)]
    assert sql(url, "SELECT more FROM ifonly_replies") == []


def test_what_is_no_store_is_refused(tmp_path: Path, refused: Callable[..., Exception]) -> None:
    text, other, folder = tmp_path / "a.txt", tmp_path / "other.db", tmp_path / "none" / "x.db"
    text.write_text("no database at all, and long enough to be looked at as one" * 9)
    open_store(other).close()
    sql(str(other), "DROP TABLE ifonly_store")
    for path, what, hint in (
        (text, "not a file of SQLite", "new file"),
        (other, "something else", "store"),
        (folder, "cannot be opened", "folder"),
        (tmp_path, "cannot be opened", "folder"),
    ):
        refused(StoreError, str(path), what, hint=hint, ask=lambda path=path: open_store(path))
    refused(
        StoreError,
        "There is no store",
        hint="file",
        ask=lambda: open_store(tmp_path / "new.db", create=False),
    )
    assert not (tmp_path / "new.db").exists()
    refused(
        OptionError, "'mysql://'", hint="postgresql://", ask=lambda: open_store("mysql://a:b@c/d")
    )


def test_postgres_without_its_driver_or_without_a_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: Callable[..., Exception]
) -> None:
    url = f"postgresql://me:secret@/x?host={tmp_path}"
    error = refused(StoreError, "reached", hint="running", ask=lambda: open_store(url))
    assert "secret" not in str(error)
    bad = "postgresql://me:secret@host:port:port/x?nonsense=1"
    assert "secret" not in str(refused(StoreError, hint="URL", ask=lambda: open_store(bad)))
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(MissingExtra, match="postgres"):
        open_store(url)


def test_a_lost_connection_is_opened_again(postgres: str, decide: Decide) -> None:
    from .conftest import new_schema

    url = new_schema(postgres)
    store = open_store(url)
    store.append([decide()])
    sql(url, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
    store.append([decide(20)])
    assert store.head().count == 2
    assert not verify(store).faults
    store.close()


@pytest.mark.parametrize("count", [0, 2])
def test_a_commit_whose_answer_was_lost_is_not_made_twice(
    postgres: str, decide: Decide, count: int
) -> None:
    """The connection ends right after the commit: whether it was made is asked of the store."""
    from .conftest import new_schema

    store = open_store(new_schema(postgres))
    run, ended = store._session.database.run, []

    class Ending(databases.PostgreSQL):
        def run(self, connection, sql, values=(), *, many=False):
            done = run(connection, sql, values, many=many)
            if sql == "COMMIT" and not ended:
                ended.append(True)
                connection.close()
                run(connection, "SELECT 1")
            return done

    store._session.database = Ending(store.database.url)
    reply = Kept("key", "bank", "hash", 200, b"")
    written = store.append([decide(), decide(20)][:count], reply=reply)
    assert ended
    assert (len(written.records), written.reply) == (count, reply)
    assert store.head() == Head(count, written.records[1].hash if count else NONE)
    assert not verify(store).faults
    store.close()


def test_a_store_that_stays_locked_is_refused_and_works_later(
    store: Store, url: str, decide: Decide, monkeypatch, refused: Callable[..., Exception]
) -> None:
    database = databases.database_of(url)
    holder = database.connect(create=False)
    for statement in database.begin:
        database.run(holder, statement)
    if database.own:
        store._session._connection.execute("PRAGMA busy_timeout = 50")
    else:
        quick = tuple(one.replace("10s", "50ms") for one in database.begin)
        monkeypatch.setattr(databases.PostgreSQL, "begin", quick)
    refused(StoreError, "locked", hint="holds it", ask=lambda: store.append([decide()]))
    assert store.head().count == 0, "others may still read"
    database.run(holder, "ROLLBACK")
    holder.close()
    assert store.append([decide()]).records
    assert not verify(store).faults


def test_a_read_only_store_can_be_read_and_not_written(
    store: Store, url: str, decide: Decide, refused: Callable[..., Exception]
) -> None:
    store.append([decide()])
    own = (
        "PRAGMA query_only = ON" if store.database.own else "SET default_transaction_read_only = on"
    )
    store.database.run(store._session._connection, own)
    refused(StoreError, "read-only", hint="\\w", ask=lambda: store.append([decide()]))
    assert store.head().count == 1


def test_only_its_owner_reads_a_store(tmp_path: Path, decide: Decide) -> None:
    store = open_store(tmp_path / "records.db")
    store.append([decide()])
    assert {stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()} == {0o600}
    store.close()


def test_a_key_file_is_made_once_and_read_by_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "records.key"
    with ThreadPoolExecutor(4) as threads:
        keys = set(threads.map(lambda _: read_key(path), range(8)))
    assert len(keys) == 1
    assert len(keys.pop()) == 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in tmp_path.iterdir()] == ["records.key"]
    with pytest.raises(FileError, match="no key file"):
        read_key(tmp_path / "none.key", create=False)
    path.write_text("short")
    with pytest.raises(FileError, match="holds no key"):
        read_key(path)
    with pytest.raises(FileError, match="cannot be used"):
        read_key(tmp_path)


def test_a_commit_waits_for_the_disk_whatever_the_default_is(store: Store) -> None:
    ways = ("SELECT current_setting('synchronous_commit')", "PRAGMA synchronous")
    mode = store._session.read(lambda: store._session.run(ways[store.database.own]))
    assert mode == [(2,) if store.database.own else ("on",)]
