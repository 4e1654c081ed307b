"""`ifonly suggest-rules`: rules that hold in every row of a file."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ifonly import api
from ifonly.cli import terminal as tables
from ifonly.cli.explain import Missing, Named, Orders
from ifonly.cli.messages import say
from ifonly.cli.output import check_writable, deliver
from ifonly.rules.suggested.suggestions import MOST
from ifonly.space import Space
from ifonly.tables.columns import Words
from ifonly.tables.files import read_table
from ifonly.tables.orders import as_ordinal
from ifonly.tables.training import without


class Format(StrEnum):
    """How rules are written."""

    TABLE = "table"
    TEXT = "text"
    JSON = "json"


Data = Annotated[Path, typer.Argument(help="The rows that the model was trained on.")]
Outcome = Annotated[str, typer.Option(help="The outcome column of the file; it is left out.")]
Most = Annotated[int, typer.Option(help="How many rules to suggest at the most.")]
Written = Annotated[Format, typer.Option("--format", help="'text' is a file for --rules.")]
Out = Annotated[Path | None, typer.Option(help="Write to this file instead of stdout.")]


def suggest_rules(
    data: Data,
    *,
    outcome: Outcome = "",
    most: Most = MOST,
    categorical: Named = None,
    ordinal: Orders = None,
    missing: Missing = None,
    written: Written = Format.TABLE,
    out: Out = None,
) -> None:
    """Suggest rules that hold in every row, and hardly by chance: what goes together, sums, orders.

    `ifonly explain --rule suggested` accepts all of them; to choose, write them to a file with
    --format text, and give it as --rules.
    """
    check_writable(out)
    train = read_table(data, words=Words(missing or ()), say=say)
    if outcome:
        (train,) = without(outcome, train)
    space = Space.infer(train, categorical or (), as_ordinal(ordinal or (), train))
    found = api.suggest_rules(train, space=space, most=most)
    if written is Format.TABLE:
        deliver(tables.suggestions(found), out)
    elif written is Format.TEXT:
        deliver("".join(f"{rule}\n" for rule in found), out)
    else:
        listed = [
            {"rule": str(one.rule), "rows": one.rows, "meaning": one.meaning} for one in found.found
        ]
        deliver(json.dumps(listed, indent=2, ensure_ascii=False) + "\n", out)
