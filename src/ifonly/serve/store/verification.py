"""Whether a store still holds what was appended: its chain, its rows, and what they derive."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ifonly.contract import DecisionRecord, canonical, row_hash
from ifonly.contract.records.decision_record import NONE
from ifonly.contract.records.record_file import faults_of
from ifonly.contract.records.rederive import other_run, rederive_all
from ifonly.explainer import Explainer
from ifonly.serve.store.entry import Entry, Head, stamp
from ifonly.serve.store.store import Store

TOGETHER = 200
"""How many entries are derived again at once."""
Known: TypeAlias = tuple[int, DecisionRecord, dict[str, Any]]
"""The number of an entry, its record and its row."""


@dataclass(frozen=True)
class Fault:
    """What is wrong with an entry."""

    number: int
    """That of the entry."""
    what: str
    """What is wrong with it."""

    def __str__(self) -> str:
        return f"Entry {self.number}: {self.what}."


@dataclass
class Report:
    """What a verification has found."""

    head: Head = field(default_factory=lambda: Head(0, NONE))
    """The end of the chain as it was walked."""
    faults: list[Fault] = field(default_factory=list)
    """What is wrong; nothing where all holds."""
    derived: int = 0
    """How many records were derived again, and are the same."""
    judged: int = 0
    """How many were made under a deadline, and have only valid answers that obey the rules."""
    rowless: int = 0
    """How many could not be derived again, for their row is not there."""
    others: Counter[str] = field(default_factory=Counter)
    """How many were made with another model or other features, by what is said of it."""


def verify(
    store: Store,
    *,
    head: Head | None = None,
    key: bytes | None = None,
    public: Any = None,
    explainer: Explainer | None = None,
    rows: Iterable[Mapping[str, Any]] = (),
) -> Report:
    """Walk the chain of a store, and derive its records again.

    Parameters
    ----------
    store
        The store.
    head
        The head of an earlier day, kept elsewhere: entries up to there must be the same. Without
        one, entries that were dropped from the end are not missed.
    key
        The secret of the rows' hashes: kept rows are checked, and `rows` are found by it.
    public
        What `contract.records.signing.read_public` returns: every record must be signed with its
        private key.
    explainer
        The model with its data; without one, only the chain is walked.
    rows
        Rows that the store does not keep, as they were sent.

    Returns
    -------
    Report

    Examples
    --------
    >>> import tempfile
    >>> from ifonly.serve.store import open_store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     verify(open_store(f"{folder}/records.db"), head=Head(1, "f" * 64)).faults
    [Fault(number=1, what='it is not there, and the head has 1')]
    """
    report = Report()
    supplied = {} if key is None else {row_hash(dict(row), key): dict(row) for row in rows}
    known: list[Known] = []
    for entry, record in _walked(store, head, report):
        row = supplied.get(record.row_hash) if entry.row is None else record.row or {}
        wrong = faults_of(record, row, key=key, public=public)
        report.faults += [Fault(entry.number, what) for what in wrong]
        if wrong:
            continue
        if row is None:
            report.rowless += 1
        elif explainer is not None:
            known.append((entry.number, record, row))
        if explainer is not None and len(known) == TOGETHER:
            _derive(known, explainer, report)
            known = []
    if explainer is not None:
        _derive(known, explainer, report)
    report.faults.sort(key=lambda fault: fault.number)
    return report


def _walked(
    store: Store, head: Head | None, report: Report
) -> Iterator[tuple[Entry, DecisionRecord]]:
    """The entries that can be read, with their records; faults of the chain are reported."""
    seen = 0
    for entry in store.entries():
        seen += 1
        last, report.head = report.head, Head(entry.number, entry.hash)
        record = _read(entry)
        wrong = list(_wrong(entry, record, last))
        if head is not None and entry.number == head.count and entry.hash != head.hash:
            wrong.append(f"its hash is not that of the head, {head.hash}")
        report.faults += [Fault(entry.number, what) for what in wrong]
        if record is not None:
            yield entry, record
    count, loose = store.extent(report.head.count)
    if seen < count:
        report.faults.append(Fault(report.head.count, "it, or one before, stands there twice"))
    if head is not None and report.head.count < head.count:
        what = f"it is not there, and the head has {head.count}"
        report.faults.append(Fault(report.head.count + 1, what))
    report.faults += [Fault(number, "its row is there, and it is not") for number in loose]


def _read(entry: Entry) -> DecisionRecord | None:
    """The record of an entry; None where it or its row cannot be read."""
    try:
        record = entry.record
        canonical(record.row)
    except (ValueError, TypeError, RecursionError):  # of JSON, or of what a record is
        return None
    return record


def _wrong(entry: Entry, record: DecisionRecord | None, last: Head) -> Iterator[str]:
    """What is wrong with an entry after the one before it."""
    if entry.number > last.count + 1:
        count = entry.number - last.count - 1
        yield f"{count} before it {'is' if count == 1 else 'are'} not there"
    elif entry.number <= last.count:
        yield "its number is out of order"
    if hashlib.sha256(str(entry.covered).encode()).hexdigest() != entry.hash:
        yield "it was changed: its content does not have its hash"
    if record is None:
        yield "it or its row cannot be read"
        return
    if (record.previous, stamp(record.time)) != (entry.previous, entry.time):
        yield "it was changed: its columns are not those of its content"
    if record.previous != last.hash:
        yield f"it does not follow entry {last.count}: it names another hash before it"


def _derive(known: Sequence[Known], explainer: Explainer, report: Report) -> None:
    """Derive records again, and count what is the same."""
    others = [other_run(record, explainer) for _, record, _ in known]
    report.others.update(filter(None, others))
    own = [one for one, other in zip(known, others, strict=True) if not other]
    found = rederive_all([one[1] for one in own], explainer, [one[2] for one in own])
    for (number, record, _), differences in zip(own, found, strict=True):
        report.faults += [Fault(number, what) for what in differences]
        report.derived += record.reproducible and not differences
        report.judged += not record.reproducible and not differences
