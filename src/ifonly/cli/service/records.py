"""`ifonly records`: look at the records of decisions, check them, and erase their rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from contextlib import closing
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ifonly.answers.record import space_of
from ifonly.cli.explain import Inputs, Missing, Outcome, Trust, TrustPickle
from ifonly.cli.messages import say
from ifonly.cli.output import deliver
from ifonly.errors import DataError, FileError, IfonlyError, OptionError
from ifonly.explainer import Explainer
from ifonly.models.adapters.table import encoded_levels
from ifonly.space import Space
from ifonly.space.marks import decode
from ifonly.tables.columns import Words
from ifonly.tables.files import read, read_table
from ifonly.tables.training import open_model, without

if TYPE_CHECKING:  # they need an extra
    from ifonly.contract import DecisionRecord
    from ifonly.serve.store import Head, Report, Store

Url = Annotated[
    str, typer.Argument(metavar="STORE", help="The file of the records, or postgresql://...")
]
Number = Annotated[int, typer.Argument(help="The number of an entry, from 1.")]
After = Annotated[int, typer.Option(help="List the entries after this number.")]
Most = Annotated[int, typer.Option(help="How many to list.")]
Before = Annotated[str, typer.Option(help="A date or a time in ISO 8601; UTC if it has no zone.")]
HeadText = Annotated[
    str, typer.Option("--head", help="COUNT:HASH of an earlier day, or a file that has it.")
]
KeyFile = Annotated[
    Path | None, typer.Option("--key", help="The key of rows' hashes; by default STORE.key.")
]
Model = Annotated[
    Path | None, typer.Option(help="Derive answers again: the model, as for `ifonly explain`.")
]
Data = Annotated[Path | None, typer.Option(help="The rows that the model was trained on.")]
Public = Annotated[
    Path | None, typer.Option(help="The public key that records must be signed for.")
]
Rows = Annotated[
    Path | None,
    typer.Option(help="Rows that are not kept: .json or .jsonl as they were sent, CSV or Parquet."),
]


def head(store: Url) -> None:
    """Print the count of the entries and the last hash, COUNT:HASH: keep it elsewhere."""
    with _open(store) as opened:
        deliver(f"{opened.head()}\n", None)


def list_entries(store: Url, *, after: After = 0, most: Most = 50) -> None:
    """List entries: number, time, status, what was predicted, and whether the row is kept."""
    lines = []
    with _open(store) as opened:
        entries = list(islice(opened.entries(after), most))
    for entry in entries:
        record = entry.record
        kept = "row erased or not kept" if entry.row is None else "row kept"
        said = json.dumps(record.predicted, ensure_ascii=False)
        lines.append(f"{entry.number}\t{entry.time}\t{record.status}\t{said}\t{kept}\n")
    deliver("".join(lines), None)


def show(store: Url, number: Number) -> None:
    """Print one entry as JSON: the record, its number and its hash."""
    with _open(store) as opened:
        entry = next(opened.entries(number - 1), None)
    if entry is None or entry.number != number:
        raise OptionError(f"There is no entry {number}.", "ifonly records head says how many.")
    whole = {"number": number, "hash": entry.hash, **entry.record.model_dump(mode="json")}
    deliver(json.dumps(whole, indent=2, ensure_ascii=False) + "\n", None)


def erase(store: Url, *, before: Before) -> None:
    """Erase the rows and the kept replies from before a date; the chain still verifies."""
    try:
        moment = datetime.fromisoformat(before)
    except ValueError:
        hint = "Give it in ISO 8601, such as 2026-01-31."
        raise OptionError(f"--before {before!r} is not a date.", hint) from None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    with _open(store) as opened:
        rows, replies = opened.erase(moment)
    say(f"Erased rows: {rows}; kept replies: {replies}. Backups from before still hold them.")


def verify(
    store: Url,
    *,
    head: HeadText = "",
    key: KeyFile = None,
    public: Public = None,
    model: Model = None,
    data: Data = None,
    rows: Rows = None,
    outcome: Outcome = "",
    trust_pickle: TrustPickle = False,
    trust: Trust = None,
    inputs: Inputs = "",
    missing: Missing = None,
) -> None:
    """Check that no entry was changed, dropped, doubled or moved; with a model, derive them again.

    Exits with 0 where the records hold, and with 1 where they do not.
    """
    from ifonly.serve.store import read_key
    from ifonly.serve.store import verify as verified

    beside = Path(f"{store.removeprefix('sqlite:///')}.key")
    key = beside if key is None and beside.is_file() else key
    secret = None if key is None else read_key(key, create=False)
    if rows is not None and secret is None:
        raise OptionError("--rows are found by their keyed hash.", "Give --key FILE.")
    if (model is None) != (data is None):
        raise OptionError("A model and its training rows go together.", "Give --model and --data.")
    explainer, words, train, stated = None, Words(missing or ()), None, _head(head)
    with _open(store, secret) as opened:
        if model is not None and data is not None:
            own, train, words = opened_model(
                model,
                data,
                outcome,
                inputs=inputs,
                trust_pickle=trust_pickle,
                trust=trust,
                missing=missing,
            )
            kept = (entry.record for entry in opened.entries())
            explainer = Explainer(own, data=train, space=run_space(kept, train))
        given = [] if rows is None else rows_of(rows, train, words, outcome)
        signer = None
        if public is not None:
            from ifonly.contract.records.signing import read_public  # it needs an extra

            signer = read_public(public)
        report = verified(
            opened, head=stated, key=secret, public=signer, explainer=explainer, rows=given
        )
    if stated is None:
        say("Without --head, entries that were dropped from the end are not missed.")
    deliver("".join(f"{line}\n" for line in _lines(report, derived=explainer is not None)), None)
    if report.faults:
        raise typer.Exit(1)


def _open(url: str, key: bytes | None = None) -> closing[Store]:
    """A store that is there already, to be closed at the end."""
    from ifonly.serve.store import open_store

    return closing(open_store(url, key=key, create=False))


def _head(text: str) -> Head | None:
    """The head that a text or a file states."""
    from ifonly.serve.store import Head

    if not text:
        return None
    path = Path(text)
    stated = read(path, Path.read_text, "a head") if path.is_file() else text
    found = re.search(r"\b(\d+):([0-9a-f]{64})\b", stated)
    if found is None:
        hint = "It is what `ifonly records head` prints, or a file that holds it."
        raise OptionError(f"--head {text!r} is not COUNT:HASH.", hint)
    return Head(int(found[1]), found[2])


def opened_model(
    model: Path,
    data: Path,
    outcome: str,
    *,
    inputs: str,
    trust_pickle: bool,
    trust: list[str] | None,
    missing: list[str] | None,
) -> tuple[Any, Any, Words]:
    """A model, its training rows, and the words of tables for it."""
    own = open_model(model, inputs, trust_pickle=trust_pickle, trust=trust or ())
    words = Words(missing or (), encoded_levels(own))
    train = read_table(data, words=words)
    (train,) = without(outcome, train) if outcome else (train,)
    return own, train, words


def run_space(records: Iterable[DecisionRecord], train: Any) -> Space:
    """The space that the first record that fits the data was made with."""
    tried = set()
    for record in records:
        try:
            run = {name: decode(value) for name, value in record.run.items()}
            mark = run["space_fingerprint"]
            if mark not in tried and (space := space_of(run, train)).fingerprint == mark:
                return space
            tried.add(mark)
        except (IfonlyError, ValueError, KeyError):  # of another model, or not a record
            continue
    return Space.infer(train)


def rows_of(path: Path, train: Any, words: Words, outcome: str) -> list[dict[str, Any]]:
    """The rows of a file, as they would be sent."""
    from ifonly.contract.values import plain

    if path.suffix in (".json", ".jsonl"):
        text = read(path, lambda file: file.read_text(encoding="utf-8"), "rows in JSON")
        try:
            lines = text.splitlines() if path.suffix == ".jsonl" else ()
            found = [json.loads(line) for line in lines if line.strip()] or json.loads(text)
        except ValueError as error:
            raise FileError(f"{str(path)!r} cannot be read as JSON: {error}.") from None
        if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
            raise DataError(f"{str(path)!r} is not a list of rows.", "A row is an object.")
        return found
    frame = read_table(path, like=train, words=words).drop(columns=outcome, errors="ignore")
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return [{str(name): plain(value) for name, value in row.items()} for row in rows]


def _lines(report: Report, *, derived: bool) -> list[str]:
    """What a verification has found."""
    lines = [*map(str, report.faults), f"Head: {report.head}"]
    if derived:
        lines += [f"Derived again, and the same: {report.derived}"]
        lines += [f"Ended by a time limit, and valid: {report.judged}"] * bool(report.judged)
        lines += [f"Without their row: {report.rowless}"] * bool(report.rowless)
        lines += [f"Not derived again, {what}: {n}" for what, n in report.others.items()]
    faults = len({fault.number for fault in report.faults})
    wrong = f"{faults} {'entry is' if faults == 1 else 'entries are'} wrong."
    return [*lines, wrong if faults else "The records hold."]
