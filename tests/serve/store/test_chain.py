"""Whatever is done to the entries of a store behind its back is found, and named by its number."""

from __future__ import annotations

import hashlib
import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ifonly.contract import canonical
from ifonly.contract.records.decision_record import NONE
from ifonly.errors import StoreError
from ifonly.serve.store import Head, Store, open_store, verify

from .conftest import KEY, Decide, sql

# A table without constraints, as somebody would make it who may change the database.
BARE = (
    "CREATE TABLE bare AS SELECT * FROM ifonly_entries",
    "DROP TABLE ifonly_entries",
    "ALTER TABLE bare RENAME TO ifonly_entries",
)
MOVE = "UPDATE ifonly_entries SET number = {} WHERE number = {}"
COPY = (
    "INSERT INTO ifonly_entries SELECT {} AS number, hash, previous, time, covered, signature "
    "FROM ifonly_entries WHERE number = {}"
)
PLANTED: dict[str, tuple[list[str], set[int]]] = {
    "changed": (
        ["UPDATE ifonly_entries SET covered = replace(covered, 'no', 'on') WHERE number = 3"],
        {3},
    ),
    "changed back in time": (
        ["UPDATE ifonly_entries SET time = '1999-01-01' WHERE number = 3"],
        {3},
    ),
    "unreadable": (["UPDATE ifonly_entries SET covered = 'x' WHERE number = 3"], {3}),
    "another hash": ([f"UPDATE ifonly_entries SET hash = '{'a' * 64}' WHERE number = 3"], {3, 4}),
    "dropped": (["DELETE FROM ifonly_entries WHERE number = 3"], {3, 4}),
    "dropped and closed up": (
        ["DELETE FROM ifonly_entries WHERE number = 3", MOVE.format(3, 4), MOVE.format(4, 5)],
        {3, 5},
    ),
    "dropped at the start": (["DELETE FROM ifonly_entries WHERE number = 1"], {1, 2}),
    "doubled at the end": ([COPY.format(6, 5)], {6}),
    "doubled under its number": ([COPY.format(3, 3)], {3}),
    "doubled before the first": ([COPY.format(-7, 1)], {-7, 1}),
    "reordered": ([MOVE.format(9, 2), MOVE.format(2, 3), MOVE.format(3, 9)], {2, 3, 4}),
    "dropped at the end": (["DELETE FROM ifonly_entries WHERE number > 4"], {5}),
    "dropped with its row": (
        [
            "DELETE FROM ifonly_entries WHERE number = 5",
            "DELETE FROM ifonly_rows WHERE number = 5",
        ],
        {5},
    ),
    "another row": (["UPDATE ifonly_rows SET content = '{\"income\": 11}' WHERE number = 2"], {2}),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_found_by_its_number(
    store: Store, url: str, decide: Decide, fault: str
) -> None:
    store.append([decide(hour=hour) for hour in range(5)])
    head = store.head()
    assert not verify(store, head=head, key=KEY).faults
    statements, numbers = PLANTED[fault]
    sql(url, *BARE, *statements)
    assert {one.number for one in verify(store, head=head, key=KEY).faults} == numbers


GARBAGE = [
    "",
    "x",
    "null",
    "[]",
    "[" * 9999,
    '{"income": NaN}',
    '{"income": "\\ud800"}',
    b"\xff",
    7,
]


@pytest.mark.parametrize("garbage", GARBAGE, ids=lambda garbage: repr(garbage)[:20])
@pytest.mark.parametrize("column", ["entries SET covered", "entries SET hash", "rows SET content"])
def test_garbage_in_any_column_is_a_fault_and_no_crash(
    tmp_path: Path, decide: Decide, column: str, garbage: Any
) -> None:
    store = open_store(tmp_path / "records.db")
    store.append([decide(hour=hour) for hour in range(3)])
    connection = sqlite3.connect(tmp_path / "records.db", isolation_level=None)
    connection.execute(f"UPDATE ifonly_{column} = ? WHERE number = 2", (garbage,))
    connection.close()
    assert 2 in {fault.number for fault in verify(store, head=store.head(), key=KEY).faults}
    store.close()


def test_an_entry_without_a_number_is_an_error(
    tmp_path: Path, decide: Decide, refused: Callable[..., Exception]
) -> None:
    store = open_store(tmp_path / "records.db")
    store.append([decide(hour=hour) for hour in range(3)])
    sql(str(tmp_path / "records.db"), *BARE, MOVE.format("'x'", 2))
    refused(StoreError, "number 'x'", hint="Restore", ask=lambda: verify(store))
    store.close()


def test_entries_dropped_from_the_end_are_missed_only_by_a_head_kept_elsewhere(
    store: Store, url: str, decide: Decide
) -> None:
    store.append([decide(hour=hour, keep=False) for hour in range(5)])
    head = store.head()
    sql(url, "DELETE FROM ifonly_entries WHERE number > 3")
    assert not verify(store).faults
    (fault,) = verify(store, head=head).faults
    assert str(fault) == "Entry 4: it is not there, and the head has 5."
    store.append([decide(hour=hour, keep=False) for hour in (8, 9, 10)])
    (fault,) = verify(store, head=head).faults
    assert str(fault) == f"Entry 5: its hash is not that of the head, {head.hash}."


def test_an_older_head_holds_while_the_chain_grows(store: Store, decide: Decide) -> None:
    store.append([decide()])
    head = store.head()
    store.append([decide(hour=1)])
    assert not verify(store, head=head).faults
    assert not verify(store, head=Head(0, NONE)).faults


def test_more_entries_than_a_page_are_walked(
    store: Store, decide: Decide, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ifonly.serve.store.store.PAGE", 3)
    store.append([decide(hour=hour) for hour in range(7)])
    report = verify(store, head=store.head(), key=KEY)
    assert (report.faults, report.head) == ([], store.head())


Line = tuple[int, str, str, str, str]  # number, hash, previous, time, covered
ACTS = st.tuples(
    st.sampled_from(["change", "drop", "double", "swap", "cut", "insert", "number", "hash"]),
    st.integers(0, 99),
    st.integers(0, 9999),
)


def tampered(lines: list[Line], act: str, at: int, more: int) -> list[Line]:
    """Entries after one act of tampering."""
    i, j = at % len(lines), more % len(lines)
    number, own, previous, time, covered = lines[i]
    rest = lines[:i] + lines[i + 1 :]
    if act == "change":
        place = more % len(covered)
        other = covered[:place] + ("1" if covered[place] != "1" else "2") + covered[place + 1 :]
        return [*rest, (number, own, previous, time, other)]
    if act == "drop":
        return rest or lines
    if act == "cut":
        return lines[: i + 1]
    if act == "double":
        return [*lines, (lines[-1][0] + 1, own, previous, time, covered)]
    if act == "insert":
        return [*lines, (number, own, previous, time, covered)]
    if act == "swap":
        both = {i: (lines[j][0], *lines[i][1:]), j: (number, *lines[j][1:])}
        return [both.get(k, line) for k, line in enumerate(lines)]
    if act == "number":
        return [*rest, (more - 5000, own, previous, time, covered)]
    return [*rest, (number, own[::-1], previous, time, covered)]


def rehashed(lines: list[Line]) -> list[Line] | None:
    """Entries numbered and hashed again, by somebody who knows how; None where one is no JSON."""
    made, previous = [], NONE
    for number, (*_, time, covered) in enumerate(sorted(lines), 1):
        try:
            covered = canonical(json.loads(covered) | {"previous": previous}).decode()
        except (ValueError, TypeError):
            return None
        own = hashlib.sha256(covered.encode()).hexdigest()
        made.append((number, own, previous, time, covered))
        previous = own
    return made


@pytest.fixture(scope="module")
def chains(memory: Path, decide: Decide) -> list[Path]:
    folder = memory / "chains"
    folder.mkdir()
    for length in (1, 2, 5):
        store = open_store(folder / f"{length}.db")
        store.append([decide(hour=hour, keep=False) for hour in range(length)])
        store.close()
    return sorted(folder.iterdir())


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2), st.lists(ACTS, max_size=4), st.booleans())
def test_any_tampering_is_found_against_the_head(
    chains: list[Path], which: int, acts: list[Any], again: bool
) -> None:
    path = chains[which].with_suffix(".tampered")
    shutil.copy(chains[which], path)
    columns = "number, hash, previous, time, covered"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA synchronous = OFF")
    before = connection.execute(f"SELECT {columns} FROM ifonly_entries ORDER BY number").fetchall()
    lines = before
    for act, at, more in acts:
        lines = tampered(lines, act, at, more)
    again = again and (made := rehashed(lines)) is not None
    lines = made if again else lines
    for statement in (*BARE, "DELETE FROM ifonly_entries"):
        connection.execute(statement)
    connection.executemany(f"INSERT INTO ifonly_entries ({columns}) VALUES (?, ?, ?, ?, ?)", lines)
    connection.close()
    store = open_store(path, create=False)
    report = verify(store, head=Head(before[-1][0], before[-1][1]))
    store.close()
    path.unlink()
    known = sorted(lines)[: len(before)] if again else sorted(lines)  # what is added is no fault
    assert bool(report.faults) == (known != before), report.faults
