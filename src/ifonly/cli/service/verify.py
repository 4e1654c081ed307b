"""`ifonly verify`: derive one decision record again, and say what differs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ifonly.cli.explain import Inputs, Missing, Outcome, Trust, TrustPickle
from ifonly.cli.messages import say
from ifonly.cli.output import deliver
from ifonly.cli.service.records import (
    Data,
    KeyFile,
    Model,
    Public,
    Rows,
    opened_model,
    rows_of,
    run_space,
)
from ifonly.errors import OptionError
from ifonly.explainer import Explainer
from ifonly.tables.columns import Words

File = Annotated[Path, typer.Argument(help="The record: JSON, as `ifonly records show` prints it.")]


def verify(
    file: File,
    *,
    model: Model = None,
    data: Data = None,
    key: KeyFile = None,
    public: Public = None,
    row: Rows = None,
    outcome: Outcome = "",
    trust_pickle: TrustPickle = False,
    trust: Trust = None,
    inputs: Inputs = "",
    missing: Missing = None,
) -> None:
    """Check one decision record: its hash, its row, its signature; with a model, what it says.

    Exits with 0 where the record holds, and with 1 where it does not.
    """
    from ifonly.contract.records.record_file import faults_of, read_record
    from ifonly.serve.store.keys import read_key

    if (model is None) != (data is None):
        raise OptionError("A model and its training rows go together.", "Give --model and --data.")
    record, stated = read_record(file)
    secret = None if key is None else read_key(key, create=False)
    explainer, train, words, own = None, None, Words(missing or ()), record.row
    if model is not None and data is not None:
        opened, train, words = opened_model(
            model,
            data,
            outcome,
            inputs=inputs,
            trust_pickle=trust_pickle,
            trust=trust,
            missing=missing,
        )
        explainer = Explainer(opened, data=train, space=run_space([record], train))
    if row is not None:
        (own,) = _one(rows_of(row, train, words, outcome))
    signer = None
    if public is not None:
        from ifonly.contract.records.signing import read_public  # it needs an extra

        signer = read_public(public)
    for line in _unchecked(record, own, stated, secret, public, explainer):
        say(line)
    faults = faults_of(
        record,
        own,
        stated=stated,
        key=secret,
        public=signer,
        explainer=explainer,
    )
    lines = [f"{fault[0].upper()}{fault[1:]}." for fault in faults]
    deliver("".join(f"{line}\n" for line in [*lines, _verdict(faults)]), None)
    if faults:
        raise typer.Exit(1)


def _one(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if len(rows) != 1:
        raise OptionError(f"--row has {len(rows)} rows.", "Give a file with one.")
    return rows


def _verdict(faults: list[str]) -> str:
    return "The record does not hold." if faults else "The record holds."


def _unchecked(
    record: Any,
    row: dict[str, Any] | None,
    stated: Any,
    key: bytes | None,
    public: Path | None,
    explainer: Explainer | None,
) -> list[str]:
    """What is not checked, and what it would take."""
    lines = []
    if public is None:
        what = "The signature is not checked" if record.signature else "The record is not signed"
        lines.append(f"{what}: who can write the file can also write its hash.")
    if stated is None:
        lines.append("The file states no hash.")
    if key is None or row is None:
        lines.append("That the row is the one that was explained is not checked: give --key.")
    if explainer is None:
        lines.append("Nothing is derived again: give --model and --data.")
    elif row is None:
        lines.append("The record has no row, so that nothing is derived again: give --row.")
    elif not record.reproducible:
        lines.append("A time limit ended the search: each way is judged, and none is found again.")
    return lines
