"""`ifonly evaluate`: the metrics of saved answers, or of counterfactuals from elsewhere."""

from __future__ import annotations

import json
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import pandas as pd
import typer

from ifonly.answers import Answers
from ifonly.cli import terminal as tables
from ifonly.cli.explain import Inputs
from ifonly.cli.options import as_target
from ifonly.cli.output import check_writable, deliver
from ifonly.cli.tables.external import read_sets
from ifonly.errors import FileError, IfonlyError
from ifonly.metrics import summary
from ifonly.models.adapters.table import encoded_levels
from ifonly.tables.columns import Words
from ifonly.tables.files import ENDINGS, read
from ifonly.tables.training import open_model


class Format(StrEnum):
    """How metrics are written."""

    TABLE = "table"
    JSON = "json"
    CSV = "csv"


Saved = Annotated[
    Path, typer.Argument(help="Answers saved as JSON; or anyone's, as CSV or Parquet.")
]
Written = Annotated[Format, typer.Option("--format", help="CSV and JSON have every metric.")]
Out = Annotated[Path | None, typer.Option(help="Write to this file instead of stdout.")]
Report = Annotated[Path | None, typer.Option(help="An HTML page to write as well.")]
Rows = Annotated[Path | None, typer.Option(help="For a table: the rows that it answers.")]
Data = Annotated[Path | None, typer.Option(help="For a table: the model's training rows.")]
Outcome = Annotated[str, typer.Option(help="The outcome column of the training rows.")]
Model = Annotated[Path | None, typer.Option(help="The model, to judge validity and boundary.")]
TrustPickle = Annotated[bool, typer.Option("--trust-pickle", help="Open files that can run code.")]
Trust = Annotated[
    list[str] | None, typer.Option(help="A type that a .skops file may hold, by its exact name.")
]
Target = Annotated[str, typer.Option(help="For a table: the wanted class, or 'opposite'.")]
K = Annotated[int | None, typer.Option("-k", "--k", help="For a table: how many were asked for.")]
Missing = Annotated[
    list[str] | None,
    typer.Option("--missing", help="For a table: a word that means a missing value."),
]


def evaluate(
    answers: Saved,
    *,
    written: Written = Format.TABLE,
    out: Out = None,
    report: Report = None,
    rows: Rows = None,
    data: Data = None,
    outcome: Outcome = "",
    model: Model = None,
    trust_pickle: TrustPickle = False,
    trust: Trust = None,
    inputs: Inputs = "",
    target: Target = "opposite",
    k: K = None,
    missing: Missing = None,
) -> None:
    """Measure answers: each row, the means over all rows, and over the rows with all k.

    Anyone's counterfactuals can be measured: a table of the features with a column 'query', the
    position of the row that each line answers. In CSV the means are the two last lines, whose
    query is 'all' and 'full'.
    """
    check_writable(out)
    check_writable(report)
    loaded = None
    if model is not None:
        loaded = open_model(model, inputs, trust_pickle=trust_pickle, trust=trust or ())
    sets: Any
    if answers.name.lower().endswith(ENDINGS):
        classes = tuple(getattr(loaded, "classes_", ()))
        wanted = target if loaded is None else as_target(target, classes)
        words = Words(missing or (), encoded_levels(loaded))
        sets = read_sets(answers, rows, data, outcome=outcome, k=k, target=wanted, words=words)
    else:
        sets = read(answers, _saved, "the JSON of saved answers")
    if report is None and isinstance(sets, Answers):
        # Whatever library the rows came in, the command works in pandas.
        per_row = replace(sets, library="pandas").metrics()
    else:
        per_row = _reported(sets, loaded, answers.name, report)
    means = summary(per_row, sets.k)
    if written is Format.TABLE:
        deliver(tables.metrics(per_row, means), out)
    elif written is Format.CSV:
        deliver(_csv(per_row, means), out)
    else:
        deliver(_json(per_row, means), out)


def _reported(sets: Any, model: Any, name: str, report: Path | None) -> pd.DataFrame:
    """The metrics of each row, and the page of the report where one is wanted."""
    from ifonly.paper.report.evaluation import evaluated, page  # heavy, and seldom needed

    evaluation = evaluated(sets, model)
    if report is not None:
        deliver(page(evaluation, name), report)
    per_row = evaluation.per_row
    status = [str(one) for one in getattr(sets, "status", ())] or _status(per_row, sets.k)
    per_row.insert(1, "status", status)
    return per_row


def _status(per_row: pd.DataFrame, k: int) -> list[str]:
    """How complete each row's counterfactuals are, in the words of answers."""
    shares = (per_row["valid_unique"] * k).round().astype(int)
    return ["found" if n == k else "partial" if n else "not_found" for n in shares]


def _saved(path: Path) -> Answers:
    content = path.read_text(encoding="utf-8")
    try:
        return Answers.from_json(content)
    except IfonlyError as error:
        raise FileError(f"{str(path)!r}: {error.message}", error.hint) from error


def _csv(per_row: pd.DataFrame, means: pd.DataFrame) -> str:
    lines = means.drop(index="rows").T.rename_axis("query").reset_index()
    return pd.concat([per_row.astype({"query": object}), lines]).to_csv(index=False)


def _json(per_row: pd.DataFrame, means: pd.DataFrame) -> str:
    def plain(frame: pd.DataFrame, orient: Any) -> Any:
        return json.loads(frame.to_json(orient=orient, double_precision=15))

    content = {"rows": plain(per_row, "records"), **plain(means, "columns")}
    return json.dumps(content, indent=2) + "\n"
